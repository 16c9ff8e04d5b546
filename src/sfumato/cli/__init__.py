"""The command line: the same nouns as in Python, one paragraph for every error."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end with its exit status."""
    from sfumato.cli.run import run

    sys.exit(run(sys.argv[1:]))
