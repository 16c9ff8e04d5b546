"""Measure how much there is to read: `python tools/size.py [path to another checkout]`.

Prints one table: files and lines of the package, how many functions and files a histogram runs
through from the call to the picture, how often the charts' options are declared, how many files
know a chart by its name, and how long the longest chain of imports is. With a path, the same of
that checkout stands beside it.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[1]
CHARTS = {
    "Histogram": ("histplot", "histogram"),
    "Boxplot": ("boxplot", "boxplot"),
    "Quantiles": ("quantiles", "quantiles"),
    "Heatmap": ("heatmap", "heatmap"),
    "Choropleth": ("choropleth", "choropleth"),
    "PCA": ("pca", "pca"),
    "Scoreplot": ("scoreplot", "scoreplot"),
    "Countplot": ("countplot", "countplot"),
    "Corrplot": ("corrplot", "pca"),
    "Distribution": ("distribution", "distribution"),
    "Ecdfplot": ("ecdfplot", "distribution"),
    "Kdeplot": ("kdeplot", "distribution"),
    "Violinplot": ("violinplot", "distribution"),
    "Boxenplot": ("boxenplot", "distribution"),
    "Barplot": ("barplot", "means"),
    "Pointplot": ("pointplot", "means"),
    "Lineplot": ("lineplot", "means"),
    "Scatterplot": ("scatterplot", "heatmap"),
    "Jointplot": ("jointplot", "heatmap"),
    "Pairplot": ("pairplot", "pairplot"),
}
"""The verb of each chart, and the folder or file that is its own."""

CLOSE = ("docs", "tests", "audit", "lab", "bench", "src")

TRACED = """
import json, sys, tempfile
from pathlib import Path

place = str(Path(sys.argv[1]).resolve())
seen = set()

def look(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(place):
        seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

import sfumato as sf
import matplotlib

matplotlib.use("agg")
table = sf.testing.city(people=200)

def histogram():
    release = sf.histplot(table, x="age", bounds=(0, 100), bins=10, budget=1.0)
    release.plot()

histogram()  # what is done once, when modules are loaded, is not the way of a request
sys.setprofile(look)
histogram()
sys.setprofile(None)
functions = {each for each in seen if not each[1].endswith("<module>")}
print(json.dumps([len(functions), len({file for file, _ in functions})]))
"""


def package(root: Path) -> list[Path]:
    """Return the Python files of the package."""
    return sorted((root / "src" / "sfumato").rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def traced(root: Path) -> tuple[int, int]:
    """Return through how many functions and files a histogram runs, to its picture."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-c", TRACED, str(root / "src" / "sfumato")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    functions, files = json.loads(done.stdout)
    return functions, files


def definitions(root: Path) -> dict[str, list[str]]:
    """Return the options of each chart, by its verb."""
    found: dict[str, list[str]] = {}
    for path in package(root):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and node.name in CHARTS and "charts" in path.parts:
                fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
                names = [ast.unparse(each.target) for each in fields]
                found[CHARTS[node.name][0]] = names
    return found


def made(path: Path) -> bool:
    """Tell whether a file is made from others, and says so."""
    return "Made by tools/" in (ast.get_docstring(parsed(path)) or "")


def declarations(root: Path) -> tuple[int, int, int]:
    """Return how many options there are, and how often they are declared: by hand, and in all.

    A declaration is a field of the chart, a parameter of a function named by the chart's verb, or
    an alias that a command takes one with.
    """
    options = definitions(root)
    total = sum(map(len, options.values()))
    written, generated = total, 0
    for path in package(root):
        here = len(list(_declared(path, options)))
        written, generated = (
            (written, generated + here) if made(path) else (written + here, generated)
        )
    return total, written, written + generated


def _declared(path: Path, options: dict[str, list[str]]) -> Iterator[str]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and node.name in options:
            taken = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield from (each.arg for each in taken if each.arg in options[node.name])
    if "cli" in path.parts:
        for node in parsed(path).body:
            text = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
            if "_chart(" in text or "_public(" in text:
                yield text


def knowing(root: Path, noun: str) -> list[Path]:
    """Return the files outside the chart's own that know it: by its class, its verb or its release.

    A chart like it would have to be added to about as many by hand. Files that are made from
    definitions, and those named after the chart, are not counted.
    """
    verb, kind = CHARTS[noun]
    known = re.compile(rf"\b({noun}|{noun.title()}Release|s[f]?\.{verb}|sfumato {verb})\b")
    return [
        path
        for folder in CLOSE
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".py", ".md", ".pyi")
        and not (kind in str(path.relative_to(root)) or verb in path.stem)
        and not (path.suffix == ".py" and made(path))
        and known.search(path.read_text(encoding="utf-8"))
    ]


def chain(root: Path) -> int:
    """Return how many modules the longest chain of imports within the package has.

    Modules that import each other count as one step.
    """
    graph = {name: set(_imported(path, root)) for name, path in _modules(root).items()}
    order: dict[str, int] = {}
    sys.setrecursionlimit(10_000)

    def depth(name: str, above: frozenset[str]) -> int:
        if name not in order:
            below = graph[name] - above - {name}
            order[name] = 1 + max((depth(each, above | {name}) for each in below), default=0)
        return order[name]

    return max(depth(name, frozenset()) for name in graph)


def _modules(root: Path) -> dict[str, Path]:
    names: dict[str, Path] = {}
    for path in package(root):
        parts = path.relative_to(root / "src").with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def _imported(path: Path, root: Path) -> Iterator[str]:
    """Yield the modules that are loaded with a module: at its top, and not for types alone."""
    known = _modules(root)
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in (node.module, *inner) if name in known)


def measured(root: Path) -> dict[str, str]:
    """Return the whole table of one checkout."""
    files = package(root)
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files)
    functions, ran = traced(root)
    options, written, every = declarations(root)
    touched = [len(knowing(root, noun)) for noun in CHARTS]
    return {
        "files in src": f"{len(files)}",
        "lines in src": f"{lines:,}",
        "functions that a histogram runs through": f"{functions}",
        "files that a histogram runs through": f"{ran}",
        "options of all charts": f"{options}",
        "declarations of them by hand": f"{written}",
        "declarations in all": f"{every}",
        "files that know a chart by name (median)": f"{median(touched):.0f}",
        "longest chain of imports": f"{chain(root)}",
    }


if __name__ == "__main__":
    places = [*(Path(word).resolve() for word in sys.argv[1:2]), HERE]
    tables = [measured(place) for place in places]
    titles = ["before", "now"] if len(places) == 2 else ["now"]
    print(f"| | {' | '.join(titles)} |")
    print(f"| --- |{' ---: |' * len(titles)}")
    for name in tables[0]:
        print(f"| {name} | {' | '.join(table[name] for table in tables)} |")
