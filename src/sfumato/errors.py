"""The errors users meet: what is wrong, why it matters, what to type next.

A message may name columns and public parameters. It never holds a value from the data.
"""


class SfumatoError(Exception):
    """Anything sfumato refuses to do."""


class DomainError(SfumatoError):
    """A public fact (bounds, categories, bins, unit) is missing or makes no sense."""


class BudgetError(SfumatoError):
    """A privacy budget is malformed, or too small for what was asked."""


class LedgerError(SfumatoError):
    """The ledger cannot be created, opened or written, or belongs to something else."""


class SourceError(SfumatoError):
    """The table cannot be read, or lacks a column of the needed kind."""


class ReleaseError(SfumatoError):
    """A saved release cannot be written, or cannot be read back."""


class OverspentError(SfumatoError):
    """A mechanism spent more than its plan charged: a bug in sfumato, never in your data."""
