"""Colours by the names that Matplotlib and seaborn give them, or as they are listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sfumato.errors import ReleaseError, abbreviate

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

Palette = str | Sequence[Any] | Mapping[Any, Any]
"""A name, colours in the order of the legend, or a colour for each category."""

_STEPS = 33
_FEW = 24  # colours of a map that is a list of them
_WHY = "Colours change no number, and nothing was charged: drawing is free."
# seaborn's six palettes, so that they are known without it.
_SEABORN = {
    "deep": "4C72B0 DD8452 55A868 C44E52 8172B3 937860 DA8BC3 8C8C8C CCB974 64B5CD",
    "muted": "4878D0 EE854A 6ACC64 D65F5F 956CB4 8C613C DC7EC0 797979 D5BB67 82C6E2",
    "pastel": "A1C9F4 FFB482 8DE5A1 FF9F9B D0BBFF DEBB9B FAB0E4 CFCFCF FFFEA3 B9F2F0",
    "bright": "023EFF FF7C00 1AC938 E8000B 8B2BE2 9F4800 F14CC1 A3A3A3 FFC400 00D7FF",
    "dark": "001C7F B1400D 12711C 8C0800 591E71 592F0D A23582 3C3C3C B8850A 006374",
    "colorblind": "0173B2 DE8F05 029E73 D55E00 CC78BC CA9161 FBAFE4 949494 ECE133 56B4E9",
}


def choose_colours(palette: object, names: Sequence[str]) -> tuple[str, ...]:
    """Return colours in the order of the series; a list has its own length, and may be longer.

    Examples
    --------
    >>> choose_colours({"a": "red", "b": "#00ff00"}, ["b", "a"])
    ('#00ff00', '#ff0000')
    >>> choose_colours("deep", ["a", "b"])[:2]
    ('#4c72b0', '#dd8452')
    """
    if isinstance(palette, Mapping):
        return _choose_by_name(cast("Mapping[Any, Any]", palette), names)
    count = max(1, len(names))
    if isinstance(palette, str):
        return _choose_known(palette, count)
    if _is_map(palette):
        return _sample_series(cast("Colormap", palette), count)
    return tuple(map(read_colour, _list_colours(palette)))


def choose_ramp(cmap: object) -> tuple[str, ...]:
    """Return the colours of a scale of numbers, from few to many."""
    if isinstance(cmap, str):
        found = _find_map(cmap)
        if found is None:
            raise _unknown(cmap, "cmap", "viridis")
        return _sample_evenly(found)
    if _is_map(cmap):
        return _sample_evenly(cast("Colormap", cmap))
    colours = tuple(map(read_colour, _list_colours(cmap)))
    return colours if len(colours) > 1 else (read_colour("white"), *colours)


def read_colour(colour: object) -> str:
    """Return a colour as red, green and blue in hexadecimal digits."""
    from matplotlib.colors import is_color_like, to_hex

    if is_color_like(colour):
        return to_hex(cast("Any", colour))
    raise ReleaseError(
        f"{abbreviate(str(colour))!r} is no colour.", _WHY, 'Use one like "#0072b2" or "tab:blue".'
    )


def _choose_by_name(palette: Mapping[Any, Any], names: Sequence[str]) -> tuple[str, ...]:
    by_name = {str(name): colour for name, colour in palette.items()}
    missing = [name for name in names if name not in by_name]
    if missing or not names:
        which = f"no colour for {abbreviate(missing[0])!r}" if missing else "colours by name"
        raise ReleaseError(
            f"The palette has {which}, but the legend has {len(names)} names.",
            _WHY,
            "Name a colour for every category of hue, or pass a list of colours.",
        )
    return tuple(read_colour(by_name[name]) for name in names)


def _choose_known(name: str, count: int) -> tuple[str, ...]:
    from matplotlib.colors import is_color_like

    if name in _SEABORN:
        return tuple(f"#{colour}".lower() for colour in _SEABORN[name].split())
    found = _find_map(name)
    if found is not None:
        return _sample_series(found, count)
    if is_color_like(name) and count == 1:
        return (read_colour(name),)
    raise _unknown(name, "palette", "Set2")


def _find_map(name: str) -> Colormap | None:
    from matplotlib import colormaps

    return colormaps.get(name)


def _sample_series(found: Colormap, count: int) -> tuple[str, ...]:
    """Return the colours of a list as they are, and of a scale those between its ends."""
    listed = getattr(found, "colors", None)
    if listed is not None and len(listed) <= _FEW:
        return tuple(map(read_colour, listed))
    places = [(place + 1) / (count + 1) for place in range(count)]
    return tuple(read_colour(found(place)) for place in places)


def _sample_evenly(found: Colormap) -> tuple[str, ...]:
    return tuple(read_colour(found(step / (_STEPS - 1))) for step in range(_STEPS))


def _is_map(palette: object) -> bool:
    return callable(palette) and hasattr(palette, "N")


def _list_colours(palette: object) -> list[object]:
    kind = type(palette).__name__
    listed = cast("Sequence[object]", palette) if isinstance(palette, Sequence) else ()
    if listed:
        return list(listed)
    raise ReleaseError(
        f"A palette is a name, a list of colours or a dict, not {kind}.",
        _WHY,
        'Pass palette="Set2", palette=["#0072b2", "#d55e00"] or palette={"north": "tab:blue"}.',
    )


def _unknown(name: str, word: str, example: str) -> ReleaseError:
    return ReleaseError(
        f"{abbreviate(name)!r} is no {word} that Matplotlib knows"
        f"{'' if word == 'cmap' else ', nor a colour for a single group'}.",
        f"{_WHY} seaborn's own colour maps are known once seaborn is imported.",
        f'Use a name such as "{example}", or a list of colours.',
    )
