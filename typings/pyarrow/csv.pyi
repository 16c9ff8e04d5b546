from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyarrow import DataType, Table

class ReadOptions:
    def __init__(
        self, *, use_threads: bool = ..., block_size: int = ..., column_names: Sequence[str] = ...
    ) -> None: ...

class ParseOptions:
    def __init__(
        self,
        *,
        delimiter: str = ...,
        newlines_in_values: bool = ...,
        invalid_row_handler: Callable[[Any], str] | None = ...,
    ) -> None: ...

class ConvertOptions:
    def __init__(
        self,
        *,
        check_utf8: bool = ...,
        column_types: Mapping[str, DataType] = ...,
        null_values: Sequence[str] = ...,
        strings_can_be_null: bool = ...,
        include_columns: Sequence[str] = ...,
    ) -> None: ...

def read_csv(
    input_file: object,
    read_options: ReadOptions = ...,
    parse_options: ParseOptions = ...,
    convert_options: ConvertOptions = ...,
) -> Table: ...
