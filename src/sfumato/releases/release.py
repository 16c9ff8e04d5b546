"""`Release`: noisy numbers with their guarantee. It can be published, and draws itself."""

from __future__ import annotations

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.errors import ReleaseError
from sfumato.figure import Figure
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee
from sfumato.releases import document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from sfumato.render.matplotlib import PictureKind

WATERMARK = "NOT PRIVATE: simulated noise"


@dataclass(frozen=True)
class Release(ABC):
    """What every release has: a guarantee, a cost, and pictures of itself.

    Parameters
    ----------
    label
        What was asked, in words.
    private
        Whether the noise was real, which the session says and no chart; False where it came from
        `sfumato.testing.seeded`, and every picture then says so.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=500)
    >>> release = sf.histplot(people, x="age", bounds=(0, 100), budget=1.0)
    >>> isinstance(release, Release), release.guarantee.epsilon
    (True, 1.0)
    """

    kind: ClassVar[str]
    indent: ClassVar[int | None] = 1  # None where a line for each number would be most of the file
    endings: ClassVar[tuple[str, ...]] = ()  # of files that only this kind of release can write
    added: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # what older files do not say, by part

    label: str
    guarantee: Guarantee
    cost: Cost
    private: bool = False

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The public facts the release was made with."""

    def marked(self, *, private: bool) -> Self:
        """Return the same numbers, with whether all of their noise was real."""
        return replace(self, private=private)

    @property
    def least_cost(self) -> Cost:
        """What the noise that is stated costs at least: no smaller price can be true."""
        return Cost.nothing()

    @abstractmethod
    def values(self) -> dict[str, Any]:
        """Return the released numbers as plain JSON values."""

    @classmethod
    @abstractmethod
    def from_parts(cls, common: Mapping[str, Any], parts: Mapping[str, Any]) -> Release:
        """Rebuild a release from what it shares with all others and from its own parts."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return one plain record per released number."""

    @abstractmethod
    def figure(self) -> Figure:
        """Describe the picture as plain data."""

    @abstractmethod
    def caption(self) -> str:
        """Say what protects whom, and how noisy the numbers are."""

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw with Matplotlib, into `ax` if it is given, and return the Axes."""
        from sfumato.render import matplotlib

        return matplotlib.draw(self.figure(), ax=ax)

    def to_vega(self) -> dict[str, Any]:
        """Return a Vega-Lite specification with the released numbers inside."""
        from sfumato.render import vega

        return vega.vega(self.figure())

    def to_html(self) -> str:
        """Return one self-contained page that needs no network."""
        from sfumato.render import html

        return html.html(self.figure())

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy pandas frame, one row per released number."""
        try:
            import pandas as pd
        except ImportError:
            pd = None
        if pd is None:
            raise ReleaseError(
                "to_frame() needs pandas, which is not installed.",
                "The numbers are at hand without it.",
                "Use records() or to_dict(), or install pandas.",
            )
        return pd.DataFrame.from_records(self.records())

    def to_dict(self) -> dict[str, Any]:
        """Return the whole release as plain JSON values."""
        return document.write(self)

    def save(self, path: str | Path) -> Path:
        """Write the release (``.json``), or a picture of it (``.svg .png .pdf .html``).

        Only the JSON file can be loaded and drawn again.
        """
        return self._save(Path(path), self.figure)

    def _save(self, path: Path, figure: Callable[[], Figure]) -> Path:
        match path.suffix.lower():
            case ".json":
                write(path, plain_text(self.to_dict(), indent=self.indent))
            case ".html":
                from sfumato.render import html

                write(path, html.html(figure()).encode())
            case ".svg":
                write(path, _picture(figure(), "svg"))
            case ".png":
                write(path, _picture(figure(), "png"))
            case ".pdf":
                write(path, _picture(figure(), "pdf"))
            case _:
                more = "".join(f"{ending}, " for ending in self.endings)
                raise ReleaseError(
                    f"Cannot tell from {path.name!r} what to write.",
                    "The ending decides, so that nothing is written by mistake.",
                    f"Use .json, {more}.html, .svg, .png or .pdf.",
                )
        return path

    def _repr_html_(self) -> str:
        from sfumato.render import html

        return html.fragment(self.figure())


def _picture(figure: Figure, kind: PictureKind) -> bytes:
    from sfumato.render import matplotlib

    return matplotlib.picture(figure, kind)


def plain_text(plain: dict[str, Any], *, indent: int | None) -> bytes:
    """Return JSON as the content of a file."""
    return json.dumps(plain, ensure_ascii=False, indent=indent, allow_nan=False).encode()


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    passing = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        passing.write_bytes(content)
        passing.replace(path)
    except OSError:
        with suppress(OSError):
            passing.unlink()
    else:
        return
    raise ReleaseError(
        f"Cannot write {str(path)!r}.",
        "The release is still in memory, and already paid for.",
        "Check the folder and its permissions, then call save() again.",
    )
