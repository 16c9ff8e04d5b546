"""What is said below a picture of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.figure import percent
from sfumato.postprocess.significance import LEVEL
from sfumato.privacy.budget import exactly, show
from sfumato.releases import wording
from sfumato.releases.score_method import METHODS
from sfumato.releases.score_view import ScoreView
from sfumato.releases.scoreplot_density import SHARES, SMOOTH
from sfumato.render.text import number

if TYPE_CHECKING:
    from sfumato.releases.scoreplot import ScoreplotRelease


def caption(release: ScoreplotRelease, view: ScoreView) -> str:
    """Say what protects whom, how it was measured and what the picture's signs mean."""
    parts = [
        wording.promise(release),
        _directions(release),
        _noise(release),
        _signs(release, view),
        _arrows(release, view),
        f"The {view.points} points are synthetic, drawn from this density." if view.points else "",
        "Rows beyond the frame, which was found privately, are counted at its edge.",
        *wording.parsed(release.pca.lattice.bounds),
        *wording.left_out([release.hue], release.found),
    ]
    return " ".join(part for part in parts if part)


def _directions(release: ScoreplotRelease) -> str:
    if release.alone:
        return "This includes the directions."
    promise = release.pca.guarantee
    spent = f"ε = {show(exactly(promise.epsilon), up=True)}"
    if promise.delta:
        spent += f", δ = {show(exactly(promise.delta), up=True)}"
    if promise.unit != release.guarantee.unit:
        spent += f", protecting {promise.unit}"
    return f"The directions were paid for before ({spent}){promise.weakness}."


def _noise(release: ScoreplotRelease) -> str:
    cells = f"{release.x.cells} × {release.y.cells} cells"
    what = METHODS[release.method]
    if release.noise is None:
        return f"{what} on a grid of {cells}. This method cannot say how sure it is."
    scale = f"{release.noise.scale * release.step:,.4g}"
    least = ""
    if release.threshold is not None:
        least = f" {number(float(f'{release.threshold * release.step:.4g}'))}"
    return f"Gaussian noise of scale {scale} on the count of each of {cells}; {what}{least}."


def _signs(release: ScoreplotRelease, view: ScoreView) -> str:
    smooth = f"Smoothed by {SMOOTH:g} cells."
    surely = f"({percent(LEVEL)} for all places together)"
    counted = release.noise is not None and release.threshold is None
    if view.apart(len(release.groups)):
        grey = f" Where the picture is grey, noise alone could have made what is seen {surely}."
        return smooth + (grey if counted else "")
    core, most = map(percent, SHARES)
    whole = f"what stands out from the noise {surely}" if counted else "what is shown of it"
    return (
        f"{smooth} Colours deepen towards each group's densest place; "
        f"lines hold {core} and {most} of {whole}."
    )


def _arrows(release: ScoreplotRelease, view: ScoreView) -> str:
    if not view.loadings:
        return ""
    sure = percent(release.pca.uncertainty["components"].coverage)
    return (
        "Arrows are loadings, the longest of them, enlarged alike; "
        f"bars are what noise leaves open ({sure} each)."
    )
