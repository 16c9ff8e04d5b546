"""Text with the format that numbers in it have, as an Arrow type."""

from __future__ import annotations

from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.number_format import NumberFormat

NAME = "sfumato.number_text"


class NumberText(pa.ExtensionType):
    """Text in which numbers are written in a format of their own, and all else is as it stands."""

    def __init__(self, number_format: NumberFormat) -> None:
        self.number_format = number_format
        super().__init__(pa.string(), NAME)

    def __arrow_ext_serialize__(self) -> bytes:
        """Return the format as bytes."""
        return f"{self.number_format.decimal}{self.number_format.thousands or ''}".encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> NumberText:
        """Return the type that was written."""
        del storage_type
        decimal, *thousands = serialized.decode()
        return cls(NumberFormat(decimal, *thousands))


def as_usual(column: pa.Array) -> pa.Array:
    """Return numbers that are written in a format as they are elsewhere; NULL where there is none.

    Privacy
    -------
    What becomes of a text depends on that text and its column's type alone, and no text fails.

    Examples
    --------
    >>> texts = pa.array(["1.234,5", "1.5", "many"])
    >>> column = pa.ExtensionArray.from_storage(NumberText(NumberFormat(",", ".")), texts)
    >>> as_usual(column).to_pylist()
    ['1234.5', None, None]
    """
    if not isinstance(column.type, NumberText):
        return column
    written = column.type.number_format
    text = cast(pa.ExtensionArray, column).storage.cast(pa.large_binary())
    text = pc.if_else(pc.match_substring_regex(text, written.pattern), text, None)
    if written.thousands is not None:
        text = pc.replace_substring(text, written.thousands, "")
    return pc.replace_substring(text, written.decimal, ".").view(pa.large_string())
