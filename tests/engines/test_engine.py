"""What a table cannot answer is refused from its public schema."""

from __future__ import annotations

import pytest

from sfumato.engines.engine import Schema
from sfumato.errors import SourceError
from sfumato.privacy.guarantee import PrivacyUnit

SCHEMA = Schema({"name": "text", "nick": "text"}, frozenset({"nick"}))


@pytest.mark.parametrize("most", [None, 3])
def test_people_whose_texts_the_table_does_not_tell_apart_by_bytes_are_refused(most: int | None):
    SCHEMA.check((), PrivacyUnit.users("name", max_rows=most))
    with pytest.raises(SourceError, match="could count several times"):
        SCHEMA.check((), PrivacyUnit.users("nick", max_rows=most))
