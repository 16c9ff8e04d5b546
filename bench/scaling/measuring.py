"""Which questions are asked, of tables of which sizes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from scaling.answering import WARM, Answer, answers
from scaling.questions import Question
from scaling.tables import ROWS_EACH, USER, WARD, WARDS, part_paths, write, write_parts

RUNS = 3
GROUPS = (1, 10, 100, 1000)
FAR = (10**9, 10**10, 10**12)
VARIED = "varied.parquet"


@dataclass(frozen=True)
class Sizes:
    """How large tables are.

    Parameters
    ----------
    rows, spark
        Of the largest table, and of the largest that Spark is asked about.
    limit
        How much memory people's rows may fill.
    everything
        Whether also to ask what takes hours.
    """

    rows: int
    spark: int
    limit: str
    everything: bool

    @property
    def grown(self) -> tuple[int, ...]:
        """The numbers of rows, of which each table holds the one before."""
        fractions = (100, 30, 10, 3, 1)
        return tuple(sorted({max(1000, self.rows // fraction) for fraction in fractions}))

    @property
    def usual(self) -> int:
        """Rows of the tables that do not grow."""
        return self.grown[2]

    @property
    def people(self) -> tuple[int, ...]:
        """How many people share the usual number of rows."""
        return people_of(self.usual)

    @property
    def by_spark(self) -> tuple[int, ...]:
        """The numbers of rows that Spark is asked about."""
        return tuple(size for size in self.grown if size <= self.spark)

    def repeated(self, engine: str) -> int:
        """Up to how many rows the least of several runs counts, where tables grow."""
        return self.grown[0] if engine == "spark" else self.grown[1]

    def grown_to(self, engine: str, chart: str, unit: str) -> tuple[int, ...]:
        """Return the sizes at which a chart is asked about."""
        if engine == "spark":
            return self.by_spark
        short = (chart, unit) == ("pca", "users") and not self.everything
        return self.grown[:-1] if short else self.grown


def people_of(rows: int) -> tuple[int, ...]:
    """Return numbers of people from a thousandth of the rows to one for each."""
    return tuple(rows // 10**power for power in (3, 2, 1, 0))


@dataclass(frozen=True)
class Bench:
    """Tables of all sizes in a folder, and what was found out about them."""

    sizes: Sizes
    folder: Path
    found: dict[Question, Answer] = field(default_factory=dict[Question, Answer])

    def write(self) -> None:
        """Write all tables in a process of its own: one is charged with what its parent fills."""
        spoken = json.dumps([str(self.folder), self.sizes.grown, self.sizes.usual])
        subprocess.check_call([sys.executable, sys.argv[0], "--write", spoken])

    def asked(self, questions: Iterable[Question]) -> list[Answer]:
        """Return the answers to questions, of which none is asked twice."""
        wanted = list(questions)
        new = [question for question in dict.fromkeys(wanted) if question not in self.found]
        by_spark = [question for question in new if question.engine == "spark"]
        alone = [[question] for question in new if question.engine != "spark"]
        for group in [*alone, by_spark] if by_spark else alone:
            for question, answer in zip(group, answers(group, self.folder), strict=True):
                if answer.failed:
                    print(f"{question.name} failed. {answer.failed}", file=sys.stderr)
                self.found[question] = answer
        return [self.found[question] for question in wanted]

    def beside(self, engine: str, chart: str, unit: str) -> Question:
        """A chart beside the bare aggregate and the bound: Spark's is that of its largest table."""
        if engine == "spark":
            return self.grown(engine, chart, unit, self.sizes.by_spark[-1])
        paths = self._paths[self.sizes.usual]
        return Question(engine, chart, unit, paths, runs=RUNS, kind="beside")

    def grown(self, engine: str, chart: str, unit: str, rows: int) -> Question:
        """A chart of so many rows: with the memory limit, where it is DuckDB's."""
        paths, runs = self._paths[rows], RUNS if rows <= self.sizes.repeated(engine) else 1
        if engine == "spark":
            return Question(engine, chart, unit, paths, runs=runs, kind="beside")
        return Question(engine, chart, unit, paths, limit=self.sizes.limit, runs=runs)

    def verbs(self, engine: str, chart: str, unit: str) -> Question:
        """The verbs of a chart, and what follows them: up to the largest tables, on DuckDB."""
        rows = self.verbs_rows(engine)
        times = () if engine == "spark" else (1, *(far // rows for far in FAR))
        return Question(engine, chart, unit, self._paths[rows], kind="verbs", times=times)

    def verbs_rows(self, engine: str) -> int:
        """How many rows the verbs are timed on."""
        few = engine == "spark" and not self.sizes.everything
        return self.sizes.grown[0] if few else self.sizes.usual

    def by_groups(self, engine: str, chart: str, unit: str, groups: int) -> Question:
        """A chart of so many groups."""
        return Question(engine, chart, unit, self._varied, by=f"{WARD}_{groups}", groups=groups)

    def by_people(self, engine: str, chart: str, people: int) -> Question:
        """A chart of so many people."""
        return Question(engine, chart, "users", self._varied, person=f"{USER}_{people}")

    def on_disk(self, rows: int) -> int:
        """How many bytes a table has."""
        return sum(Path(path).stat().st_size for path in self._paths[rows])

    @property
    def _varied(self) -> tuple[str, ...]:
        return (str(self.folder / VARIED),)

    @property
    def _paths(self) -> dict[int, tuple[str, ...]]:
        return part_paths(self.folder, self.sizes.grown)


def write_all(spoken: str) -> None:
    """Write the tables that grow, one with many columns of groups and people, and a small one."""
    folder, grown, usual = json.loads(spoken)
    people = {f"{USER}_{count}": count for count in people_of(usual)}
    wards = {f"{WARD}_{count}": count for count in GROUPS}
    write_parts(Path(folder), grown)
    wards, people = wards | {WARD: WARDS}, people | {USER: usual // ROWS_EACH}
    write(Path(folder, VARIED), range(usual), wards=wards, people=people)
    write(Path(folder, WARM), range(1000), wards=wards, people=people)
