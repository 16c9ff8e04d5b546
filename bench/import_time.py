"""How long `import sfumato` takes beyond `import numpy`, each in a fresh process."""

from __future__ import annotations

import statistics
import subprocess
import sys

REPEATS = 9
MOST = 0.3
SCRIPT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def seconds(module: str) -> float:
    return float(subprocess.check_output([sys.executable, "-c", SCRIPT.format(module)]))


def main() -> int:
    modules = ("numpy", "sfumato", "sfumato; sfumato.Session")
    times = [[seconds(module) for module in modules] for _ in range(REPEATS)]
    numpy, sfumato, session = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"import numpy {numpy:.3f} s, import sfumato {sfumato:.3f} s")
    print(f"with all that a session needs {session:.3f} s")
    beyond = sfumato - numpy
    print(f"Target: at most {MOST} s beyond numpy: {beyond:.3f} s, ", end="")
    print("met" if beyond <= MOST else "MISSED")
    return 0 if beyond <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
