"""The heatmap paper's Appendix F: what the shuffle model costs to send, and what rounding costs.

Figure 12 is computed: bytes per participant by scaling B, as printed, with a modulus that does not
wrap, and here. Figure 13 is simulated on SALICON gaze: 50 people, ε = 5, δ = 10⁻⁵, cells of 2 × 2
pixels; B = ∞ rounds nothing, as a trusted collector. Sums get the noise that the messages carry,
whose law the tests compare; nothing here is private. Runs are kept in ``lab/out``, so a second call
continues the first.

    python lab/shuffle.py               # 20 runs, some minutes
    RUNS=100 python lab/shuffle.py      # more of them
    python lab/shuffle.py --messages    # and send all messages of 50 people once: a minute, 3 GB
    SKIP_DATA=1 python lab/shuffle.py   # Figure 12 alone
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import time
from pathlib import Path
from typing import cast

import matplotlib.pyplot as plt
import numpy as np

from boxplots.summary import mean
from heatmaps.crowd import Crowd, Floats
from heatmaps.measuring import METRICS, SIGMAS, closeness, filtered
from heatmaps.places import GAZE, gaze
from sfumato import distributed
from sfumato.distributed.client import Steps, round_weights
from sfumato.distributed.shuffle import Analyser, Client, Measured, Protocol, Shuffler
from sfumato.domain import Bounds
from sfumato.grid import Grid
from sfumato.plane import Plane, interleave

OUT = Path(__file__).parent / "out"
PEOPLE, EPSILON, DELTA = 50, 5.0, 1e-5
CELLS = (320, 240)
SCALINGS = (1, 4, 16, 64, 256, 1024)
RUNS = 20
"""How often each scaling is run by default, as in the paper."""


def protocol(scaling: int) -> Protocol:
    columns, rows = (Grid(name, Bounds(0, 1), n) for name, n in zip("xy", CELLS, strict=True))
    people = {"participants": PEOPLE, "honest": PEOPLE}
    return Protocol(Plane(columns, rows), **people, epsilon=EPSILON, delta=DELTA, scaling=scaling)


def published(asked: Protocol, modulus: int, less: float) -> float:
    """Return the megabytes that Appendix F's formula asks for; `less` is taken from ln n."""
    squares = asked.coordinates
    top = 2 * math.log1p(math.exp(EPSILON)) + 2 * math.log(squares / DELTA) + math.log(modulus)
    shares = math.ceil(top / (math.log(PEOPLE) - less) + 1)
    return shares * squares * math.ceil(math.log2(squares * modulus)) / 8e6


def print_bytes() -> None:
    """Print and draw Figure 12."""
    print("Figure 12: megabytes per participant")
    print(f"{'B':>6}{'as printed':>12}{'ln n - 1':>10}{'no wrap':>9}{'here':>7}{'shares':>8}")
    lines: dict[str, list[float]] = {"as printed": [], "published, no wrap": [], "here": []}
    for scaling in SCALINGS:
        asked = protocol(scaling)
        printed = published(asked, scaling * PEOPLE, 0)
        careful = published(asked, scaling * PEOPLE, 1)
        unwrapped, here = published(asked, asked.modulus, 1), asked.bytes_per_user / 1e6
        print(f"{scaling:>6}{printed:>12.2f}{careful:>10.2f}{unwrapped:>9.2f}{here:>7.2f}", end="")
        print(f"{asked.shares:>8}")
        for line, value in zip(lines.values(), (printed, unwrapped, here), strict=True):
            line.append(value)
    figure, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
    for name, line in lines.items():
        ax.plot(SCALINGS, line, marker="o", label=name)  # pyright: ignore[reportUnknownMemberType]
    ax.set(xscale="log", xlabel="B", ylabel="megabytes per participant", ylim=(0, None))
    ax.legend()  # pyright: ignore[reportUnknownMemberType]
    figure.savefig(OUT / "shuffle-figure-12.png", dpi=150)  # pyright: ignore[reportUnknownMemberType]


def people(run: int) -> Crowd:
    """Return those who looked at one photograph; runs go through all of them in turn."""
    seen = [each for each in gaze().values() if each.users >= PEOPLE]
    return seen[run % len(seen)].sample(np.random.default_rng([12, run]), PEOPLE)


def measured(crowd: Crowd, scaling: float, generator: np.random.Generator) -> Measured:
    """Return the analyser's sums, with noise of the law that the messages carry.

    Privacy
    -------
    None, as all simulations.
    """
    asked = protocol(256 if math.isinf(scaling) else int(scaling))
    codes = interleave(*crowd.cells(CELLS))
    steps = np.zeros(asked.sizes[-1])
    for user in range(PEOPLE):
        cells, counts = np.unique(codes[crowd.user == user], return_counts=True)
        whole = int(counts.sum())
        if math.isinf(scaling):
            part = counts * asked.scaling / whole
        else:
            part = round_weights(counts, whole, asked.scaling, int(generator.integers(whole)))
        steps[np.searchsorted(asked.codes[-1], cells)] += part
    noisy = [
        _level(asked, steps, place, continuous=math.isinf(scaling), generator=generator)
        for place in range(len(asked.levels))
    ]
    # Without rounding, steps are no whole numbers; what follows does not mind.
    return Measured(asked, cast(tuple[Steps, ...], tuple(noisy)), private=False)


def _level(
    asked: Protocol, steps: Floats, place: int, *, continuous: bool, generator: np.random.Generator
) -> Floats:
    squares = asked.codes[-1] >> 2 * (asked.plane.levels - asked.levels[place])
    sums = np.bincount(np.searchsorted(asked.codes[place], squares), steps)
    rate = float(asked.epsilons[place]) / asked.scaling
    if continuous:
        return sums + generator.laplace(0, 1 / rate, len(sums))
    up, down = generator.geometric(-math.expm1(-rate), (2, len(sums)))
    return sums + (up - down).astype(np.float64)


def fingerprint() -> str:
    """Return what the code is known by: results of other code are not mixed with its own."""
    folder = Path(distributed.__file__).parent
    files = [Path(__file__), *sorted(folder.glob("*.py"))]
    files += sorted((folder.parent / "postprocess").glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def simulate(runs: int) -> dict[float, Floats]:
    """Return runs × metrics by scaling; what is in the file is not run again."""
    path, code = OUT / "shuffle.jsonl", fingerprint()
    known: dict[tuple[float, int], list[float]] = {}
    if path.exists():
        for line in path.read_text().splitlines():
            found, scaling, run, values = json.loads(line)
            if found == code:
                known[float(scaling), run] = values
    scalings = (*map(float, SCALINGS), math.inf)
    with path.open("a") as file:
        for run in range(runs):
            crowd = people(run)
            true = filtered(crowd.picture(CELLS), SIGMAS[0])
            for place, scaling in enumerate(scalings):
                if (scaling, run) in known:
                    continue
                generator = np.random.default_rng([13, run, place])
                heat = measured(crowd, scaling, generator).picture()
                heat = heat if heat.sum() > 0 else np.ones_like(heat)
                values = list(closeness(true, filtered(heat, SIGMAS[0])))
                known[scaling, run] = values
                file.write(json.dumps([code, str(scaling), run, values]) + "\n")
                file.flush()
    return {each: np.array([known[each, run] for run in range(runs)]) for each in scalings}


def print_metrics(found: dict[float, Floats]) -> None:
    """Print and draw Figure 13."""
    print(f"\nFigure 13: {len(found[math.inf])} runs, mean ± half a 95 % interval")
    print(f"{'B':>6}" + "".join(f"{metric:>20}" for metric in METRICS))
    figure, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained")
    for scaling, values in found.items():
        name = "∞" if math.isinf(scaling) else f"{scaling:g}"
        print(f"{name:>6}" + "".join(f"{mean(column)!s:>20}" for column in values.T))
    for ax, place in zip(axes, range(len(METRICS)), strict=True):
        means = [mean(values[:, place]) for values in found.values()]
        names = ["∞" if math.isinf(each) else f"{each:g}" for each in found]
        ax.errorbar(names, [m.value for m in means], [m.radius for m in means], marker="o")
        ax.set(title=METRICS[place], xlabel="B")
    figure.savefig(OUT / "shuffle-figure-13.png", dpi=150)  # pyright: ignore[reportUnknownMemberType]


def send() -> None:
    """Let 50 people send all their messages, and say how long each side takes."""
    asked, crowd, begun = protocol(256), people(0), time.monotonic()
    places = np.column_stack([crowd.x, crowd.y])
    client = Client(asked)
    sent = [client.encode(places[crowd.user == user]) for user in range(PEOPLE)]
    encoded = time.monotonic()
    mixed = Shuffler(asked).permute(sent)
    shuffled = time.monotonic()
    heat = Analyser(asked).decode(mixed)
    print(f"\n{len(mixed):,} messages of {asked.bytes_per_user / 1e6:.2f} MB per participant:")
    print(
        f"encoding {encoded - begun:.1f} s for all, shuffling {shuffled - encoded:.1f} s, ", end=""
    )
    print(f"decoding {time.monotonic() - shuffled:.1f} s; private: {heat.private}")
    true = filtered(crowd.picture(CELLS), SIGMAS[0])
    close = closeness(true, filtered(heat.picture(), SIGMAS[0]))
    print(", ".join(f"{name} {value:.3f}" for name, value in close._asdict().items()))


def main() -> int:
    parser = argparse.ArgumentParser(description="Repeat the heatmap paper's Appendix F.")
    parser.add_argument("--messages", action="store_true", help="send all messages once")
    asked = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    print_bytes()
    folder = os.environ.get("SFUMATO_DATA")
    if not folder or not (Path(folder) / GAZE).is_file():
        print(f"\nMissing in the folder that SFUMATO_DATA names: {GAZE}. Figure 13 needs it.")
        return 0 if os.environ.get("SKIP_DATA") == "1" else 2
    print_metrics(simulate(max(2, int(os.environ.get("RUNS", RUNS)))))
    if asked.messages:
        send()
    return 0


if __name__ == "__main__":
    sys.exit(main())
