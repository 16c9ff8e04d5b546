"""What fails in an executor is written down nowhere; one that dies changes no integer."""

import pyarrow.parquet as pq
import pytest

from engines.hostile import CANARY, hostile
from engines.spark import questions
from engines.spark.questions import BUDGET
from sfumato.errors import SourceError
from sfumato.privacy.ledger import Ledger


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    pq.write_table(hostile(1000), folder / "part.parquet")
    return folder


@pytest.fixture
def frame(spark, files):
    return spark.read.parquet(str(files)).repartition(3, "u")


@pytest.fixture
def logged(spark_folder):
    """Return what was logged or printed since a test began, by any process of Spark."""
    before = {path: path.stat().st_size for path in spark_folder.glob("*.log")}
    assert len(before) == 2

    def since():
        return "".join(path.read_bytes()[end:].decode() for path, end in before.items())

    return since


@pytest.mark.parametrize("step", ["add", "place", "weigh"])
def test_an_error_in_an_executor_is_written_down_nowhere(frame, logged, step):
    word = f"quoted in {step}"
    said = questions.summed(frame, step, word)
    assert "SourceError" in said
    assert word not in said
    assert "Finished task" in logged()
    assert word not in logged()
    assert CANARY not in logged(), "of the table that was read"


def test_an_error_that_leaves_our_code_would_be_found(frame, logged):
    word = "quoted carelessly"
    assert word in questions.summed_carelessly(frame, word)
    assert word in logged()


def check_once_charged(path):
    ledger = Ledger.open(path)
    assert len(ledger.entries) == 1
    assert ledger.remaining.epsilon == BUDGET.epsilon - 1


def test_a_frame_that_fails_is_charged_once_and_not_quoted(frame, tmp_path):
    (tmp_path / "fail").touch()
    with pytest.raises(SourceError) as refused:
        questions.histogram_behind_a_gate(frame, tmp_path / "ledger", tmp_path)
    assert "could not be read" in str(refused.value)
    assert "gate" not in str(refused.value)
    check_once_charged(tmp_path / "ledger")


def test_a_worker_that_dies_in_the_middle_changes_nothing(frame, files, tmp_path, logged):
    found = questions.histogram(questions.dying(frame), tmp_path / "ledger")
    assert found == questions.histogram(files, tmp_path / "another")
    assert "Lost task 1.0" in logged()
    check_once_charged(tmp_path / "ledger")
