"""What CONTRIBUTING calls *never*, held by a machine; every rule is shown to notice its breach."""

from __future__ import annotations

import re
import tomllib
from ast import ClassDef
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from inspect import getdoc
from pathlib import Path
from textwrap import dedent

import pytest

import sfumato
from house import errors, privacy, style
from house.source import Rule, Source

ROOT = Path(__file__).parents[1]
RULES = privacy.RULES + style.RULES + errors.RULES
PACKAGE = ROOT / "src" / "sfumato"

LARGE: dict[str, str] = {}
"""Functions that are large and still one thing, with the reason."""

BREACHES: list[tuple[Rule, str, str]] = [
    (privacy.only_mechanisms_open_an_exact, "charts.pie", "exact.reveal()"),
    (privacy.only_mechanisms_open_an_exact, "charts.pie", "exact.reveal_between(first, end)"),
    (privacy.only_mechanisms_open_an_exact, "charts.pie", "exact._values"),
    (privacy.only_mechanisms_open_an_exact, "charts.pie", "exact._between"),
    (privacy.only_mechanisms_open_an_exact, "releases.pie", "getattr(exact, '_labels')"),
    (privacy.only_mechanisms_open_an_exact, "engines.pie", "astuple(exact)"),
    (
        privacy.only_the_session_charges_and_measures,
        "api",
        "def pie(): return chart.measure(engine, plan)",
    ),
    (
        privacy.only_the_session_charges_and_measures,
        "session",
        """
        def release(self):
            answer = chart.measure(engine, plan)
            ledger.charge(plan.label, plan.cost)
            return answer
        """,
    ),
    (
        privacy.only_the_session_charges_and_measures,
        "api",
        "def measure(engine, plan): return chart.measure(engine, plan, Meter(plan.cost))",
    ),
    (privacy.only_the_session_makes_a_meter, "charts.pie", "noise = laplace(Meter(ample), exact)"),
    (privacy.only_the_session_makes_a_meter, "mechanisms.pie", "meter.Meter(cost)"),
    (privacy.only_mechanisms_pay, "charts.pie", "receipt = meter.pay(Cost.nothing())"),
    (
        privacy.only_mechanisms_pay,
        "charts.pie",
        "from sfumato.mechanisms.noise import add_noise",
    ),
    (privacy.no_chart_accounts_for_itself, "charts.pie", "PieRelease(label, private=True)"),
    (
        privacy.no_chart_accounts_for_itself,
        "charts.pie",
        "def slices(self, meter, exact): return size.cost + counts.cost",
    ),
    (privacy.no_seed_is_taken, "api", "def pie(table, *, seed=None): ..."),
    (privacy.no_ordinary_randomness, "engines.pie", "import random"),
    (privacy.no_ordinary_randomness, "engines.pie", "from numpy.random import default_rng"),
    (privacy.no_ordinary_randomness, "charts.pie", "def pie(generator: np.random.Generator): ..."),
    (privacy.no_ordinary_randomness, "mechanisms.noise", "generator = np.random.default_rng()"),
    (privacy.no_ordinary_randomness, "mechanisms.noise", "np.random.Generator(bits)"),
    (style.nothing_is_warned_or_printed, "engines.pie", "print(rows)"),
    (style.nothing_is_warned_or_printed, "cli", "warnings.warn('small ε')"),
    (style.nothing_is_warned_or_printed, "engines.pie", "import logging"),
    (style.nouns_are_frozen, "charts.pie", "@dataclass\nclass Pie: ..."),
    (style.nouns_are_frozen, "charts.pie", "@dataclasses.dataclass(eq=False)\nclass Pie: ..."),
    (privacy.no_open_keywords, "charts.pie", "def measure(self, engine, **options): ..."),
    (privacy.no_default_budget, "api", "def pie(table, *, x, budget=1.0): ..."),
    (privacy.no_default_budget, "session", "def pie(table, epsilon=1): ..."),
    (
        privacy.what_touches_data_says_how_private_it_is,
        "mechanisms.pie",
        "def pie(exact: Exact | None) -> int: 'Add noise.'",
    ),
    (
        privacy.what_touches_data_says_how_private_it_is,
        "charts.pie",
        "class Pie:\n    def measure(self, plan) -> PieRelease: 'Privacy is good.'",
    ),
    (
        privacy.what_touches_data_says_how_private_it_is,
        "session",
        "class Session:\n    'Keep a table.'\n    def __init__(self, table: object): ...",
    ),
    (style.no_global_state, "session", "def use(s):\n    global current\n    current = s"),
    (style.no_global_state, "api", "LEDGERS = [privacy.Ledger(total)]"),
    (style.no_private_names_of_others, "engines.pie", "from duckdb._core import connect"),
    (style.no_private_names_of_others, "engines.pie", "from duckdb import _connect"),
    (style.no_private_names_of_others, "render.pie", "import pylib\npylib.draw._canvas()"),
    (
        privacy.no_error_carries_another,
        "engines.pie",
        """
        try:
            connection.execute(query)
        except OSError:
            raise SourceError("Cannot read the table.") from None
        """,
    ),
    (style.the_public_package_is_for_users, "charts.pie", "import sfumato as sf"),
    (style.the_public_package_is_for_users, "releases.pie", "from sfumato import Session"),
    (errors.errors_have_three_parts, "charts.pie", "raise DomainError('Pies are round.')"),
    (errors.errors_have_three_parts, "charts.pie", "raise DomainError(*parts)"),
    (errors.errors_have_three_parts, "charts.pie", "problem = BudgetError('No.', '', 'Ask.')"),
    (
        errors.what_is_typed_stands_in_phrases,
        "charts.pie",
        "raise DomainError('No.', 'Why.', f'Write Domain({column}=(lower, upper)).')",
    ),
    (
        errors.what_is_typed_stands_in_phrases,
        "charts.pie",
        "raise DomainError('No.', 'Why.', ('Write ', BoundsOf(column), ' or sf.private().'))",
    ),
    (style.functions_are_small, "charts.pie", "def pie():" + "\n    x = 1" * 41),
]

MANNERS: list[tuple[Rule, str, str]] = [
    (privacy.only_mechanisms_open_an_exact, "mechanisms.pie", "exact.reveal()"),
    (privacy.only_mechanisms_open_an_exact, "releases.pie", "self._values"),
    (
        privacy.only_the_session_charges_and_measures,
        "session",
        """
        def release(self):
            ledger.charge(plan.label, plan.cost)
            return chart.measure(engine, plan)
        """,
    ),
    (
        privacy.only_the_session_charges_and_measures,
        "api",
        "def measure(engine, plan, meter): return chart.measure(engine, plan, meter)",
    ),
    (privacy.only_the_session_makes_a_meter, "session", "with Meter(plan.cost) as meter: ..."),
    (privacy.only_mechanisms_pay, "mechanisms.pie", "receipt = meter.pay(cost)"),
    (privacy.only_mechanisms_pay, "charts.pie", "from sfumato.charts.allocation import add_noise"),
    (
        privacy.no_chart_accounts_for_itself,
        "charts.pie",
        "def plan(): return size.cost + left.cost",
    ),
    (style.nouns_are_frozen, "charts.pie", "@dataclass(frozen=True)\nclass Pie: ..."),
    (
        errors.errors_have_three_parts,
        "charts.pie",
        "raise DomainError('No.', why='Why.', advice=('Write ', BoundsOf(column), '.'))",
    ),
    (
        errors.what_is_typed_stands_in_phrases,
        "charts.pie",
        "raise DomainError('No.', 'Why.', ('Write ', Worded('Domain(wait=(0, 1))'), '.'))",
    ),
    (privacy.no_seed_is_taken, "testing", "def seeded(seed): ..."),
    (privacy.no_ordinary_randomness, "mechanisms.noise", "def pie(g: np.random.Generator): ..."),
    (privacy.no_default_budget, "session", "def plan(chart, *, budget=None, error=None): ..."),
    (
        privacy.what_touches_data_says_how_private_it_is,
        "mechanisms.pie",
        '''
        def pie(exact: Exact) -> int:
            """Add noise.

            Privacy
            -------
            Pure ε-DP.
            """
        ''',
    ),
    (
        privacy.no_error_carries_another,
        "engines.pie",
        """
        try:
            connection.execute(query)
        except OSError:
            failed = True
        if failed:
            raise SourceError("Cannot read the table.")
        """,
    ),
]


@cache  # so that each file is parsed once for all rules
def sources() -> list[Source]:
    return [
        Source(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts), path.read_text())
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


def documents() -> Iterator[Path]:
    """Every file a reader of the repository may open."""
    built = {"build", "dist", "site", "demo"}
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") and part not in {".ci", ".gitignore"} for part in parts)
        if path.is_file() and not hidden and parts[0] not in built and "__pycache__" not in parts:
            yield path


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_its_rule(rule: Rule) -> None:
    found = [
        f"{source.module}:{line} {what}"
        for source in sources()
        for line, what in rule(source)
        if not any(what.startswith(f"{name} has") for name in LARGE)
    ]
    assert not found, f"{rule.__doc__}\n" + "\n".join(found)


@pytest.mark.parametrize(("rule", "module", "text"), BREACHES)
def test_each_rule_notices_its_breach(rule: Rule, module: str, text: str) -> None:
    assert list(rule(Source(f"sfumato.{module}", dedent(text))))


@pytest.mark.parametrize(("rule", "module", "text"), MANNERS)
def test_each_rule_lets_good_manners_pass(rule: Rule, module: str, text: str) -> None:
    assert not list(rule(Source(f"sfumato.{module}", dedent(text))))


def test_every_rule_has_a_breach() -> None:
    assert {rule for rule, _, _ in BREACHES} == set(RULES)


def test_whatever_is_called_large_is_large() -> None:
    large = [what for source in sources() for _, what in style.functions_are_small(source)]
    assert all(any(what.startswith(f"{name} has") for what in large) for name in LARGE)


def shared_names(found: Iterable[Source]) -> set[str]:
    """Return the names that more than one class has."""
    classes = [
        node.name for source in found for node in source.tree.body if isinstance(node, ClassDef)
    ]
    return {name for name, times in Counter(classes).items() if times > 1}


def test_no_two_classes_share_a_name() -> None:
    assert shared_names(sources()) == set()
    twins = [
        Source("sfumato.charts.pie", "class Pie: ..."),
        Source("sfumato.figure", "class Pie: ..."),
    ]
    assert shared_names(twins) == {"Pie"}


def unproved(folder: Path) -> list[str]:
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    return [path.name for path in modules if not path.with_suffix(".md").exists()]


def test_every_mechanism_has_its_argument_beside_it(tmp_path: Path) -> None:
    assert not unproved(PACKAGE / "mechanisms")
    (tmp_path / "pie.py").touch()
    assert unproved(tmp_path) == ["pie.py"]


def lost_arguments(path: Path) -> list[str]:
    named = re.findall(r"`(\w+\.md)`", path.read_text())
    return [name for name in named if not (path.parent / name).exists()]


def test_an_argument_that_is_named_exists(tmp_path: Path) -> None:
    assert not [lost for path in PACKAGE.rglob("*.py") for lost in lost_arguments(path)]
    (tmp_path / "pie.py").write_text('"""The argument stands in `pie.md`."""')
    assert lost_arguments(tmp_path / "pie.py") == ["pie.md"]


VAGUE = re.compile(r"(^|_)(utils?|helpers?|common|managers?|misc)(_|$)")


def test_every_file_has_a_noun_for_its_name() -> None:
    assert not [path for path in documents() if VAGUE.search(path.stem)]
    assert VAGUE.search("chart_utils")
    assert not VAGUE.search("uncommon")


LATER = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")


def test_what_is_left_for_later_has_an_issue() -> None:
    code = [path for path in documents() if path.suffix == ".py" and path != Path(__file__)]
    assert not [path for path in code if LATER.search(path.read_text())]
    assert LATER.search("# TODO: write")
    assert not LATER.search("# TODO(#12): write")


ELSEWHERE = re.compile(
    r"(?<![\w.])/(work|root|home|opt|tmp|Users)/|\bpypi\.|pythonhosted|npmjs|conda\.anaconda"
)


def test_the_tree_names_no_machine_and_no_registry() -> None:
    for path in documents():
        if path != Path(__file__):
            found = ELSEWHERE.search(path.read_bytes().decode(errors="ignore"))
            assert found is None, f"{path} names {found}"
    assert ELSEWHERE.search(f"see {'/'}work/notes")
    assert ELSEWHERE.search("https://pypi." + "org/simple")
    assert not ELSEWHERE.search(f"src{'/'}work/notes")


def index_addresses(text: str) -> list[str]:
    return re.findall(r"^\s*(?:--\w*-?index|--find-links|-i|-f)\b.*|.*(?:@\s|://).*", text, re.M)


def locked(text: str) -> set[str]:
    """Return each ``name==version ; marker`` that is locked by at least one hash."""
    return set(re.findall(r"^(\S+==[^\\\n]*?) \\\n    --hash=sha256:[0-9a-f]{64}", text, re.M))


@pytest.mark.parametrize("name", ["run", "dev", "docs", "lock"])
def test_requirements_are_locked_by_hash_and_name_no_index(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    asked = re.findall(r"^[^\s#].*==.*", text, re.M)
    assert len(locked(text)) == len(asked) > 0
    assert not index_addresses(text)
    assert index_addresses("--index-url https://example.org") == ["--index-url https://example.org"]
    assert locked("pie==1.0\n") == set()


def test_the_locks_agree_and_hold_what_the_project_asks_for() -> None:
    locks = {path.stem: locked(path.read_text()) for path in (ROOT / "requirements").iterdir()}
    everywhere = {line.partition(" ;")[0] for line in locks["run"] - locks["dev"]}
    assert everywhere <= locks["dev"], "what some systems need, or all of them"
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[=\s]", line)[0] for line in locks["run"]}
    assert {re.split(r"[>=<~\[ ]", line)[0] for line in wanted} <= names


def without_example(names: dict[str, object]) -> list[str]:
    """Return what a user can call and has no example that is run."""
    return [
        name
        for name, thing in names.items()
        if isinstance(thing, Callable)
        and not (isinstance(thing, type) and issubclass(thing, Exception))
        and ">>> " not in (getdoc(thing) or "")
    ]


def test_every_public_name_has_an_example() -> None:
    names = {name: getattr(sfumato, name) for name in sfumato.__all__}
    assert all(getdoc(thing) for thing in names.values())
    assert not without_example(names)
    assert without_example({"pie": lambda: None}) == ["pie"]
