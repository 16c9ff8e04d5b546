"""Some rows of another source, with columns that are derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from sfumato.engines.selection import RowSelection, select
from sfumato.engines.sources.source import Batches, Columns, Source, read_blocks
from sfumato.engines.typed import TypedColumns


class SelectedSource(Source):
    """The rows of a source that meet a condition, with columns derived from stored ones.

    Privacy
    -------
    A row-wise map of another source, as `RowSelection` is.
    """

    def __init__(self, source: Source, selection: RowSelection) -> None:
        self._source = source
        self._selection = selection
        self.kinds = {**source.kinds, **selection.kinds}
        self.folded = source.folded
        self.spacings = {**source.spacings, **selection.spacings}
        self.untyped = source.untyped
        self.zones = source.zones
        self.inferred = source.inferred
        self.derived = frozenset(selection.derived)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns of the rows that are there."""
        stored = self._selection.list_stored(columns.names)
        repetitive = [name for name in columns.repetitive if name in stored]
        done = 0.0

        def note(fraction: float) -> None:
            nonlocal done
            done = fraction

        # In blocks, of which each holds no more text than fits in memory.
        with closing(read_blocks(self._source, Columns(stored, repetitive), note)) as blocks:
            for block in blocks:
                yield self._selection.apply(block, columns.names).select([*columns.names]), done

    def split(self, parts: int) -> Sequence[Source]:
        """Return at most `parts` sources that hold each row once."""
        return [SelectedSource(part, self._selection) for part in self._source.split(parts)]


def select_rows(source: Source, where: str | None, columns: Mapping[str, str]) -> Source:
    """Return a source of some rows with derived columns, or the source itself; or refuse it.

    Privacy
    -------
    Knows names and kinds of columns, and no row.
    """
    known = TypedColumns(source.kinds, source.untyped, source.spacings)
    selection = select(known, where, columns)
    return source if selection.empty else SelectedSource(source, selection)
