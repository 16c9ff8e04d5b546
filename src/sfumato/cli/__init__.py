"""The command line: the same nouns as in Python, one paragraph for every error."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end with its exit status."""
    from sfumato.cli.run import run

    sys.meta_path.insert(0, WithoutPandas())  # pyright: ignore[reportArgumentType]
    sys.exit(run(sys.argv[1:]))


class WithoutPandas:
    """Hides pandas from Arrow, which would load it with its first array: no command needs it."""

    def find_spec(self, name: str, *_: object) -> None:
        """Say that there is no pandas; of other modules, that others know them."""
        if name == "pandas":
            raise ModuleNotFoundError("No command needs pandas.", name=name)
