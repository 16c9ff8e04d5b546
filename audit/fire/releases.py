"""Strikes at whole releases: plan, charge, measure, for every chart there is."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pyarrow as pa

import sfumato as sf
from fire.lines import STRUCK, Striker, interrupted
from fire.stage import Interruption, Scene, Stage, apart
from fire.tally import Tally
from fire.tracing import KILL, Striking, traced
from sfumato.catalogue import Roles, requests
from sfumato.charts.chart import Chart
from sfumato.engines.dispatch import choose_engine
from sfumato.engines.queries import QueryEngine
from sfumato.errors import shorten_label
from sfumato.testing import measure_planned

# Here, so that no forked child need import it.
importlib.import_module("opendp.measurements")

VERBS = ("counts", "sums", "marginals", "gram", "occupied", "masses")
"""All that can be asked of an engine about rows."""

TABLE = pa.table(
    {
        **{name: ["A", "B"] * 10 for name in ("ward", "team")},
        **{name: [1.0, 2.0] * 10 for name in "xyz"},
    }
)
DOMAIN = sf.Domain(dict.fromkeys("xyz", (0, 4)), ward=["A", "B"], team=["A", "B"])
ROLES = Roles(
    domain=DOMAIN,
    number="x",
    another="y",
    whole="x",
    day="z",
    group="ward",
    other="team",
    weight="z",
    east="x",
    north="y",
    columns=("x", "y", "z"),
    person="nobody",  # whoever is protected, the ledger is charged alike
    rows=20,
)
TOTAL = sf.Budget(epsilon=2, delta=1e-6)
SOME = sf.Budget(epsilon=0.25, delta=1e-8)

Made = Callable[[sf.Session, Chart[Any, Any]], object]


def killed_in_a_release(stage: Stage) -> Tally:
    """Kill a process at every system call from the plan of a release to its answer."""
    tally = Tally()
    for first, chart in enumerate(_charts(stage), 1):
        for when in count(first, 3 if stage.full else 79):
            watcher = Striking(when, KILL)
            tally += _killed(stage, chart, watcher, _release)
            if not watcher.struck:
                break
    return tally


def interrupted_release(stage: Stage) -> Tally:
    """Raise exceptions at every line of a release and of the ledger that it charges."""
    tally = Tally()
    for first, chart in enumerate(_charts(stage), 1):
        for kind in STRUCK[1:] if stage.full else (Interruption,):
            status, when = -1, first
            while status:
                scene = _scene(stage)
                striker = Striker(when, kind, instructions=False)
                session = _session(scene, chart)
                status = apart(partial(_interrupt, scene, session, chart, striker))
                tally += scene.judge(status, fill=False)
                when += 11 if stage.full else 199
    return tally


def hasty(stage: Stage) -> Tally:
    """Kill a session that was broken on purpose: it looks, and charges then."""
    histogram = sf.Histogram(x="ward")
    strikes = (Striking(when, KILL) for when in range(20, 140, 24))
    return sum((_killed(stage, histogram, at, _look_then_charge) for at in strikes), Tally())


def _charts(stage: Stage) -> list[Chart[Any, Any]]:
    """Return a chart for each way to ask or, where there is time, one of each kind and a search."""
    asked = requests(ROLES)
    if stage.full:
        return [each.chart for each in asked if each.typical or each.name == "histplot-search"]
    return [each.chart for each in asked if each.typical and each.verb in _ASKING]


_ASKING = ("histplot", "barplot", "heatmap", "pca")  # each with verbs of its own


def _scene(stage: Stage) -> Scene:
    """Return a new ledger with room for many releases."""
    kept, scene = stage.folder / "releases.ledger", stage.empty()
    if not kept.exists():
        sf.Ledger.create(kept, budget=TOTAL, table="visits")
    shutil.copy(kept, scene.path)
    return Scene(scene.path, stage.witness.read(scene.path), stage.witness)


def _killed(stage: Stage, chart: Chart[Any, Any], watcher: Striking, make: Made) -> Tally:
    scene = _scene(stage)
    session = _session(scene, chart)
    return scene.judge(traced(lambda: _made(session, chart, make), watcher), fill=False)


def _interrupt(scene: Scene, session: sf.Session, chart: Chart[Any, Any], striker: Striker) -> None:
    interrupted(scene, striker, lambda: _made(session, chart, _release), session.ledger)


def _session(scene: Scene, chart: Chart[Any, Any]) -> sf.Session:
    """Return a session whose engine writes down, before it reads anything, that it was asked."""
    session = sf.Session(TABLE, domain=DOMAIN, ledger=scene.path, name="visits")
    label = shorten_label(session.plan(chart, budget=SOME).label)
    for verb in VERBS:
        setattr(QueryEngine, verb, _telling(_ANSWERS[verb], scene, label))
    return session


_ANSWERS: dict[str, Callable[..., object]] = {verb: getattr(QueryEngine, verb) for verb in VERBS}


def _telling(answer: Callable[..., object], scene: Scene, label: str) -> Callable[..., object]:
    def told(*its: object, **more: object) -> object:
        # One release may ask more than once within its plan.
        if not scene.looked[label]:
            scene.look(label)
        return answer(*its, **more)

    return told


def _made(session: sf.Session, chart: Chart[Any, Any], make: Made) -> None:
    make(session, chart)


def _release(session: sf.Session, chart: Chart[Any, Any]) -> object:
    return session.release(chart, budget=SOME)


def _look_then_charge(session: sf.Session, chart: Chart[Any, Any]) -> object:
    plan = session.plan(chart, budget=SOME)
    answer = measure_planned(chart, choose_engine(TABLE), plan)
    session.ledger.charge(plan.label, plan.cost)
    return answer
