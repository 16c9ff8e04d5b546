"""`Release`: noisy numbers with their guarantee. It can be published, and draws itself."""

from __future__ import annotations

import csv
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import wraps
from inspect import Parameter, signature
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, Self, TypeVar

from sfumato.errors import ReleaseError, Setting, make_printable
from sfumato.expressions import Selection
from sfumato.figure import Figure
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.payment import Payment
from sfumato.releases.signature import Key, Signature
from sfumato.render.look import LOOKS, Looks, dress

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from sfumato.render.matplotlib import PictureKind

WATERMARK = "NOT PRIVATE: simulated noise"

Endings = Mapping[str, Callable[[Any], dict[str, Any]]]
"""The endings of files, and what writes each as plain JSON values."""

View = ParamSpec("View")
R = TypeVar("R", bound="Release")


class Drawn(Protocol[View]):
    """What drawing needs of a release; every way to draw takes what its `figure` takes."""

    indent: ClassVar[int | None]
    endings: ClassVar[Endings]

    def figure(self, *args: View.args, **view: View.kwargs) -> Figure:
        """Describe the picture as plain data."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the whole release as plain JSON values."""
        ...

    def records(self) -> list[dict[str, Any]]:
        """Return one record per released number."""
        ...


class Refining(Protocol):
    """What can spend more on a release: a session."""

    def refine(self, release: R, *, budget: Any) -> R:
        """Return a better release."""
        ...


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
    paid
        The entries of a ledger that paid for it, which the session says too; none where the ledger
        was kept in memory, and nobody could look there.
    signature
        Who vouches that this is what they published; None where nobody does.
    selection
        Which rows were counted, and which columns were derived, which the session says; None where
        all rows and stored columns alone were.
    style
        How it is drawn where nobody says otherwise, by `styled`; no part of what is released, and
        in no file.

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
    endings: ClassVar[Endings] = {}  # of files that only this kind of release can write

    label: str
    guarantee: Guarantee
    cost: Cost
    private: bool = False
    paid: tuple[Payment, ...] = ()
    signature: Signature | None = None
    selection: Selection | None = None
    style: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)

    def __init_subclass__(cls) -> None:
        # help() and Shift-Tab show the choices of a picture wherever they can be made.
        super().__init_subclass__()
        cls.__repr__ = Release.__repr__  # a dataclass would list every number
        if "figure" not in vars(cls):
            return
        cls.figure = _styling(cls.figure)
        verbs = (Release.plot, Release.to_vega, Release.to_html, Release.save, Release.styled)
        for verb in verbs:
            setattr(cls, verb.__name__, _offering(verb, cls.figure))

    def __repr__(self) -> str:
        stated = f"{'' if self.private else f'{WATERMARK}. '}{self.guarantee}"
        draw = "Draw it with .plot() or .save('chart.svg'); .to_frame() has its numbers."
        lines = (f"{self.heading[:1].upper()}{self.heading[1:]}", f"{stated}.", draw)
        return "\n".join(map(make_printable, lines))

    @property
    def heading(self) -> str:
        """What is shown, in words; `label` says what was asked, as a ledger keeps it."""
        return self.label

    @property
    def parameters(self) -> dict[str, Any]:
        """The public facts the release was made with, as plain JSON values."""
        from sfumato.releases import document

        return document.part(type(self), "parameters").write(self)

    def values(self) -> dict[str, Any]:
        """Return the released numbers as plain JSON values."""
        from sfumato.releases import document

        return document.part(type(self), "values").write(self)

    def marked(
        self,
        *,
        private: bool,
        paid: tuple[Payment, ...] = (),
        selection: Selection | None = None,
    ) -> Self:
        """Return the same numbers: whether their noise was real, what paid, and of which rows."""
        return replace(self, private=private, paid=paid, selection=selection)

    def sign(self, key: Key, *, password: str | None = None) -> Self:
        """Return the same release, signed: whoever has your public key can tell it is yours.

        A signature says that the holder of the key published these numbers with this guarantee,
        and that nobody has changed them since. It does not say that they were measured, nor that
        their noise was real. Of two signatures the last one stays.

        Parameters
        ----------
        key
            An Ed25519 private key: a PEM file, or what is in one.
        password
            What the key is locked with, if it is.
        """
        from sfumato.releases import signature

        return replace(self, signature=signature.sign(self.to_dict(), key, password))

    def verify(self, key: Key) -> Self:
        """Return the release itself if the holder of `key` signed it; refuse it if not.

        ``sf.load("ages.json").verify("public.pem")`` is a file that can be trusted as far as its
        publisher.

        Parameters
        ----------
        key
            The Ed25519 public key of whom you expect: a PEM file, or what is in one. Get it from
            them, and not from where the release is.
        """
        from sfumato.releases import signature

        signature.verify(self.to_dict(), self.signature, key)
        return self

    @property
    def included(self) -> tuple[Release, ...]:
        """The releases that this one shows, and that were paid for by themselves."""
        return ()

    def refine(self, session: Refining, *, budget: Any) -> Self:
        """Return a better release, for which a session spends more: see `Session.refine`.

        Parameters
        ----------
        session
            Who reads the table, and pays: a release itself holds neither.
        budget
            What may be spent besides.

        Privacy
        -------
        Costs `budget`, charged by the session before anything is drawn.
        """
        return session.refine(self, budget=budget)

    @property
    def least_cost(self) -> Cost:
        """What the noise that is stated costs at least: no smaller cost can be true."""
        return Cost.nothing()

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return one plain record per released number."""

    @abstractmethod
    def figure(self, **view: Any) -> Figure:
        """Describe the picture as plain data."""

    def _dressed(self, figure: Figure, look: Looks) -> Figure:
        """Return a figure with what its captions say at least, and with its look."""
        from sfumato.releases import wording

        told = replace(figure, short=wording.guarantee(self), least=wording.least(self))
        return dress(told, look)

    @abstractmethod
    def caption(self) -> str:
        """Say what protects whom, and how noisy the numbers are."""

    # Typed by the release's own `figure`, so that its choices are checked wherever they are made.
    def plot(
        self: Drawn[View], ax: Axes | None = None, *args: View.args, **view: View.kwargs
    ) -> Axes:
        """Draw with Matplotlib, into `ax` if it is given, and return the Axes.

        Parameters
        ----------
        view
            What `figure` takes, by name.
        """
        from sfumato.render import matplotlib

        return matplotlib.draw(self.figure(*args, **view), ax=ax)

    def to_vega(self: Drawn[View], *args: View.args, **view: View.kwargs) -> dict[str, Any]:
        """Return a Vega-Lite specification with the released numbers inside.

        Parameters
        ----------
        view
            What `figure` takes, by name.
        """
        from sfumato.render import vega

        return vega.build_vega(self.figure(*args, **view))

    def to_html(self: Drawn[View], *args: View.args, **view: View.kwargs) -> str:
        """Return one self-contained page that needs no network.

        Parameters
        ----------
        view
            What `figure` takes, by name.
        """
        return _page(self.figure(*args, **view))

    def check_view(self, view: Mapping[str, Any]) -> None:
        """Refuse what this kind of release cannot be told when it is drawn."""
        known = signature(self.figure).parameters
        unknown = next((name for name in view if name not in known), None)
        if unknown is not None:
            raise ReleaseError(
                (Setting(unknown, view[unknown]), f" is no way to draw a {self.kind}."),
                "Nothing was charged: drawing is free.",
                ("Leave ", Setting(unknown), " out."),
            )
        if view:
            self.figure(**view)

    def styled(self, **view: Any) -> Self:
        """Return the same release, which draws itself so, in a notebook too.

        Parameters
        ----------
        view
            What `figure` takes, by name: ``release.styled(title="Ages", caption="short")``.
        """
        chosen = {name: choice for name, choice in view.items() if choice is not None}
        return replace(self, style={**self.style, **chosen}) if chosen else self

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
        from sfumato.releases import document

        return document.write(self)

    def save(self: Drawn[View], path: str | Path, *args: View.args, **view: View.kwargs) -> Path:
        """Write the release (``.json``), its numbers (``.csv``) or a picture of it.

        Pictures are ``.svg``, ``.png``, ``.pdf``, ``.html`` and, for Vega-Lite, ``.vl.json``. Maps
        can be written for map tools, too (``.geojson``). Only the JSON file of the release can be
        loaded and drawn again.

        Parameters
        ----------
        view
            What `figure` takes, by name.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".json" if path.name.lower().endswith(".vl.json"):
                content = plain_text(_specify(self.figure(*args, **view)), indent=self.indent)
            case ".csv":
                content = _tabulate(self)
            case ".json":
                content = plain_text(self.to_dict(), indent=self.indent)
            case ".html":
                content = _page(self.figure(*args, **view)).encode()
            case ".svg" | ".png" | ".pdf" as ending:
                content = _picture(self.figure(*args, **view), _PICTURES[ending])
            case ending if ending in self.endings:
                content = plain_text(self.endings[ending](self), indent=self.indent)
            case _:
                more = "".join(f"{ending}, " for ending in self.endings)
                raise ReleaseError(
                    f"The format of {path.name!r} is not known.",
                    "The ending of the name sets the format.",
                    f"Use .json, .csv, {more}.svg, .png, .pdf, .html or .vl.json.",
                )
        write(path, content)
        return path

    def __dir__(self) -> list[str]:
        """List what is public: editors complete it."""
        return [name for name in super().__dir__() if name[:1] != "_" or name[:2] == "__"]

    def _repr_html_(self) -> str:
        from sfumato.render import html

        return html.build_fragment(self.figure())

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, Any]:
        """Return the chart as a page, as a picture and as text, for whatever shows a notebook."""
        forms: dict[str, Callable[[], Any]] = {
            "text/html": self._repr_html_,
            "image/png": lambda: _picture(self.figure(), "png"),
            "text/plain": self.__repr__,
        }
        wanted = [form for form in forms if form in (include or forms)]
        return {form: forms[form]() for form in wanted if form not in (exclude or ())}


def _styling(figure: Callable[..., Figure]) -> Callable[..., Figure]:
    """Return a description of a picture that heeds what the release was styled with."""

    @wraps(figure)
    def styled(self: Release, *args: Any, **view: Any) -> Figure:
        return figure(self, *args, **{**self.style, **view})

    own = signature(figure).parameters.values()
    named = [each for each in own if each.kind is not Parameter.VAR_KEYWORD]
    shown = signature(figure).replace(parameters=[*named, *LOOKS])
    styled.__signature__ = shown  # pyright: ignore[reportAttributeAccessIssue]
    return styled


def _offering(verb: Callable[..., Any], figure: Callable[..., Figure]) -> Callable[..., Any]:
    """Return a way to draw whose signature names the choices that a figure has."""
    first, *others = signature(verb).parameters.values()
    by_name = {"ax": Parameter.KEYWORD_ONLY}
    named = [
        each.replace(kind=by_name.get(each.name, each.kind))
        for each in others
        if each.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    choices = list(signature(figure).parameters.values())[1:]
    self = first.replace(annotation=Parameter.empty)
    shown = signature(verb).replace(parameters=[self, *named, *choices])

    @wraps(verb)
    def offered(*args: Any, **view: Any) -> Any:
        bound = shown.bind(*args, **view)
        return verb(*bound.args, **bound.kwargs)

    offered.__signature__ = shown  # pyright: ignore[reportAttributeAccessIssue]
    return offered


def _specify(figure: Figure) -> dict[str, Any]:
    from sfumato.render import vega

    return vega.build_vega(figure)


def _tabulate(release: Drawn[...]) -> bytes:
    """Return the records as a CSV file; those of simulated noise say so in every row."""
    private = release.to_dict()["private"]
    note = {} if private else {"note": WATERMARK}
    records = [record | note for record in release.records()]
    text = StringIO()
    table = csv.DictWriter(text, list(records[0]) if records else [], lineterminator="\n")
    table.writeheader()
    table.writerows({name: _spell(record[name]) for name in record} for record in records)
    return text.getvalue().encode()


def _spell(value: object) -> object:
    """Return a value as a CSV file has it: nothing where there is none, dates as ISO 8601."""
    if value is None or value != value:  # noqa: PLR0124 - which is true of NaN alone
        return ""
    return value.isoformat() if isinstance(value, datetime) else value


def _page(figure: Figure) -> str:
    from sfumato.render import html

    return html.build_html(figure)


def _picture(figure: Figure, kind: PictureKind) -> bytes:
    from sfumato.render import matplotlib

    return matplotlib.render_picture(figure, kind)


_PICTURES: dict[str, PictureKind] = {".svg": "svg", ".png": "png", ".pdf": "pdf"}


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
