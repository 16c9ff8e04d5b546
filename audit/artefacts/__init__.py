"""Files tell no more than the release: a table of canaries is charted, and every file searched.

Each value of the table can be recognised in any writing: texts nobody else uses, numbers of all
digits. It is charted by every method, in Python and on the command line, and everything that is
written is unpacked, decoded and searched, for the table and for whoever ran it. Then each release
is loaded elsewhere, by another user on another host with another clock and no table, and every
file written again, byte for byte the same. At last a second table, which is counted alike and has
no value in common with the first, must give the same releases under the same noise.
"""

from __future__ import annotations

from report import Outcome, Size


def attack(size: Size) -> Outcome:
    """Write everything there is to write, search it, and write it again elsewhere."""
    # Processes that assume other surroundings do so before they import the library.
    from artefacts import attacking

    return attacking.attack(size)
