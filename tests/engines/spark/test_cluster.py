"""On a real cluster the four charts rest on the same integers, also when a machine dies."""

import re

import pyarrow.parquet as pq
import pytest

from engines.hostile import CANARY, hostile
from engines.spark import questions
from engines.spark.cluster import cluster
from engines.spark.questions import BUDGET
from engines.spark.sessions import until
from sfumato.errors import SourceError
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger

# On threads of one process `test_spark`, `test_docs` and `test_executors` show it every day.
pytestmark = pytest.mark.slow

PARTS, ROWS = 3, 1000


@pytest.fixture(scope="module")
def machines(java, tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def two(machines):
    """The cluster, with both workers alive."""
    return machines.mended()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A hostile table in several files, of which one has no rows."""
    folder = tmp_path_factory.mktemp("hostile")
    table = hostile(PARTS * ROWS)
    for part in range(PARTS + 1):
        pq.write_table(table.slice(part * ROWS, ROWS), folder / f"part-{part}.parquet")
    return folder


def found(word, logs):
    """Return where a word is written."""
    return [name for name, text in logs.items() if word in text]


def test_the_four_charts_rest_on_the_same_integers(two, files):
    assert two.asked(questions.integers, files).result() == questions.integers(files)
    assert not found(CANARY, two.logs())


def test_the_four_charts_are_the_same(two, files):
    assert two.asked(questions.charts, files).result() == questions.charts(files)


@pytest.mark.parametrize("step", ["add", "place", "weigh"])
def test_an_error_in_an_executor_is_written_down_nowhere(two, files, step):
    word = f"quoted in {step}"
    said = two.asked(questions.summed, files, step, word).result()
    assert "SourceError" in said
    assert word not in said
    logs = two.logs()
    assert not found(word, logs)
    assert not found(CANARY, logs), "of the table that was read"


def test_an_error_that_leaves_our_code_would_be_found(two, files):
    word = "quoted carelessly"
    assert word in two.asked(questions.summed_carelessly, files, word).result()
    logs = found(word, two.logs())
    assert "driver/spark.log" in logs
    assert any(name.startswith("worker") and name.endswith("stderr") for name in logs)


@pytest.fixture
def halfway(two, files, tmp_path):
    """A histogram that is being counted on both workers, its ledger and its gate."""
    gate, ledger = tmp_path / "gate", tmp_path / "ledger"
    gate.mkdir()
    answer = two.asked(questions.histogram_behind_a_gate, files, ledger, gate)

    def busy(worker):
        places = [path.read_text() for path in gate.glob("waiting-*")]
        return any(place.startswith(str(worker.folder)) for place in places)

    until(lambda: answer.done() or all(map(busy, two.living)))
    assert not answer.done(), answer.exception()
    yield answer, Ledger.open(ledger), gate
    (gate / "come").touch()


def check_once_charged(ledger):
    """The ledger opens again, and lacks the price of one histogram."""
    again = Ledger.open(ledger.path)
    assert len(again.entries) == 1
    assert again.remaining.epsilon == BUDGET.epsilon - 1
    again.charge("the rest", Cost.pure(again.remaining.epsilon))


def test_a_frame_that_fails_in_the_middle_is_charged_once_and_not_quoted(halfway):
    answer, ledger, gate = halfway
    (gate / "fail").touch()
    with pytest.raises(SourceError) as refused:
        answer.result()
    assert "could not be read" in str(refused.value)
    assert "gate" not in str(refused.value)
    check_once_charged(ledger)


def test_a_machine_that_dies_in_the_middle_changes_nothing(two, files, tmp_path, halfway):
    answer, ledger, gate = halfway
    assert len(ledger.entries) == 1
    two.living[0].kill()
    (gate / "come").touch()
    assert answer.result() == questions.histogram(files, tmp_path / "another")
    check_once_charged(ledger)
    assert re.search("Lost executor .* worker lost", two.logs()["driver/spark.log"])
