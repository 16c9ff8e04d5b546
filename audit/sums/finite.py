"""Whether everything that a release says is a finite number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, cast

from sfumato.releases.release import Release


def numbers(thing: object) -> Iterator[float | int]:
    """Yield all numbers of plain data, flags aside."""
    match thing:
        case bool() | str() | None:
            return
        case float() | int():
            yield thing
        case dict():
            yield from numbers([*cast("dict[str, object]", thing).values()])
        case list() | tuple():
            for value in cast("list[object]", thing):
                yield from numbers(value)
        case _:
            return  # dates, in records


def finite(release: Release) -> bool:
    """Tell whether a release, its table and its figure hold finite numbers alone.

    A table has NaN where there are too few data, and says so.
    """
    records = [record for record in release.records() if record.get("reliable", True)]
    plain: list[Any] = [release.to_dict(), records, release.to_vega()]
    json.dumps(plain[0], allow_nan=False)
    return all(math.isfinite(number) for number in numbers(plain))
