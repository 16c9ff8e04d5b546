"""What was written of the canaries here, compared with what is written elsewhere."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from artefacts.broken import BROKEN, LITTER
from artefacts.canaries import ONE, OTHER
from artefacts.making import Task, run
from artefacts.requests import REQUESTS, mapped, named
from artefacts.searching import Search, together
from artefacts.surroundings import ELSEWHERE, HERE, Surroundings, really
from artefacts.watching import files, unasked
from artefacts.writers import DRAWN, PLAIN, UNSTEADY
from report import Size
from sfumato.render import html as runtime

# In the tests each form is drawn of some charts, and each kind of chart in some forms.
_FEW = {
    "histplot-hue": ("svg", "pdf", "pickle"),
    "boxplot-fence": ("png",),
    "quantiles-joint": ("html",),
    "heatmap-adaptive": ("geojson",),
    "pca": ("notebook", "pickle"),
    "scoreplot-haar": ("html",),
}
_TYPED = ("json", "svg", "geojson", "printed")
_DATED = ("ledger", "said")
_BETRAYED = "pca"
_SEED = 7


@dataclass(frozen=True)
class Checked:
    """What came of one comparison.

    Parameters
    ----------
    written
        How many files of each form.
    found
        Canaries, by file.
    differing
        Files whose bytes are others elsewhere.
    unasked
        What was written, or called, and not asked for.
    """

    written: Counter[str]
    found: tuple[str, ...]
    differing: tuple[str, ...]
    unasked: tuple[str, ...]


def forms(size: Size) -> dict[str, list[str]]:
    """Return what is written of each request."""
    if size == "fast":
        return {name: [*PLAIN, *drawn] for name, drawn in _FEW.items()}
    return {
        request.name: [*PLAIN, "geojson", *DRAWN, *(UNSTEADY if request.typical else ())]
        for request in REQUESTS
    }


def redrawn(home: Path, wanted: dict[str, list[str]], *, typed: bool = False) -> Checked:
    """Release the canaries with real noise, search what is written, and write it again elsewhere.

    Elsewhere there is no table.
    """
    made, again = home / ("typed" if typed else "made"), home / "again"
    table = ONE.write(home)
    before = files(home)
    task = Task(wanted, str(made), table=str(table), typed=typed)
    noted = unasked(run(task, HERE, home), made, HERE.home(home))
    table.unlink()
    with ThreadPoolExecutor(1) as pool:
        redraw = Task(wanted, str(again), releases=str(made))
        waiting = pool.submit(run, redraw, ELSEWHERE, home)
        found = searched(made, together([ONE.search, HERE.search, really()]))
        noted += unasked(waiting.result(), again, ELSEWHERE.home(home))
    left = [place for place in files(home) - before if _stray(place)]
    written = Counter(path.name for path in made.rglob("*") if path.is_file())
    return Checked(written, found, differing(made, again), tuple(noted + left))


def typed(home: Path, names: list[str]) -> Checked:
    """Do the same on the command line, and keep all that is said there."""
    wanted = {
        name: [form for form in _TYPED if form != "geojson" or mapped(named(name))]
        for name in names
    }
    return redrawn(home, wanted, typed=True)


def alike(home: Path, names: list[str]) -> Checked:
    """Release two tables that are counted alike, here and elsewhere, with the same noise."""
    wanted = {name: ["json", "printed"] for name in names}

    def release(which: tuple[Path, Surroundings, Path]) -> list[str]:
        table, where, folder = which
        task = Task(wanted, str(folder), table=str(table), seed=_SEED)
        return unasked(run(task, where, home), folder, where.home(home))

    one, other = home / "one", home / "other"
    with ThreadPoolExecutor(2) as pool:
        places = [(ONE.write(home), HERE, one), (OTHER.write(home), ELSEWHERE, other)]
        noted = [place for places in pool.map(release, places) for place in places]
    found = searched(other, together([OTHER.search, ELSEWHERE.search]))
    written = Counter(path.name for path in one.rglob("*") if path.is_file())
    return Checked(written, found, differing(one, other), tuple(noted))


def betrayed(home: Path) -> list[str]:
    """Return which broken writers were noticed."""
    return noticed(redrawn(home, {_BETRAYED: ["json", *BROKEN]}))


def noticed(checked: Checked) -> list[str]:
    """Return the broken writers among what was checked whose work was noticed."""
    differ = [form for form in BROKEN if f"{_BETRAYED}/{form}" in checked.differing]
    return differ + [form for form in LITTER if any(form in place for place in checked.unasked)]


def searched(folder: Path, search: Search) -> tuple[str, ...]:
    """Return the canaries in all files below a folder, and in their names."""
    script = runtime.write_script().encode()
    parts: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        content = path.read_bytes() if path.is_file() else b""
        if script in content:  # which is long, and the same in all pages of maps
            content, parts["the script of maps"] = content.replace(script, b""), script
        parts[name] = content
        parts[f"{name}, its name"] = name.encode()
    return tuple(
        f"{name}: {hit}"
        for name, content in parts.items()
        for hit in search(content)
        # When a chart was paid for is what a ledger is for, and what it is asked to say.
        if not (hit.what == "the date" and Path(name).name in _DATED)
    )


def differing(one: Path, other: Path) -> tuple[str, ...]:
    """Return the files that two folders should have alike and have not."""
    exempt = {*UNSTEADY, *LITTER, "said", "ledger"}
    names = [name for name in files(one) | files(other) if Path(name).name not in exempt]
    return tuple(name for name in sorted(names) if not _same(one / name, other / name))


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


def _stray(place: str) -> bool:
    folder, _, rest = place.partition("/")
    if folder in (HERE.user, ELSEWHERE.user):
        return not rest.startswith((".cache/matplotlib/fontlist", "work/matplotlibrc"))
    return folder not in ("made", "typed", "again")
