"""Shared frame of the benchmarks: options, and tables on the screen, as JSON and on the page.

A benchmark is a module with a function ``run(options, report)`` that ends with ``main(run, ...)``.
Its docstring is its help text. Each keyword argument of ``main`` is an option: a default value, a
list of values, a tuple of choices (the first is the default), or the type of a required value.
"""

import argparse
import importlib.metadata
import json
import math
import os
import platform
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[1] / "docs/benchmarks.md"
# Modules whose versions affect the figures, and their distributions.
MODULES = {
    "numpy": "numpy",
    "numba": "numba",
    "pinocchio": "pin",
    "coal": "coal",
    "roboticstoolbox": "roboticstoolbox-python",
    "optik": "optik-py",
    "pink": "pin-pink",
    "roboplan": "roboplan",
    "eaik": "EAIK",
    "ompl": "ompl",
    "toppra": "toppra",
    "ruckig": "ruckig",
    "vamp": "vamp-planner",
    "rclpy": "ros-rclpy",
    "viser": "viser",
    "qi": "qi",
}
LABEL, COLUMN = 34, 13  # characters, on the screen
WIDTH = 118  # characters of a line in the docs


class Report:
    """Tables of figures; a table's title is the head of its first column.

    ``details`` are written to the JSON file only.
    """

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, dict[str, Any]]] = {}
        self.details: dict[str, Any] = {}
        self._date = time.strftime("%-d %B %Y")
        self._load = os.getloadavg()[0]

    def row(self, table: str, name: str | int, figures: dict[str, Any]) -> None:
        """Add a row to a table, and print it."""
        rows = self.tables.setdefault(table, {})
        if not rows:
            heads = (f"{head:>{max(COLUMN, len(head) + 2)}}" for head in figures)
            print(f"\n{table:{LABEL}}" + "".join(heads))
        rows[str(name)] = figures
        cells = (f" {text(v):>{max(COLUMN, len(k) + 2) - 1}}" for k, v in figures.items())
        print(f"{text(name):{LABEL}}" + "".join(cells), flush=True)

    def about(self) -> str:
        """Return the date, machine and versions of the measurement."""
        versions = []
        for module, distribution in MODULES.items():
            if module in sys.modules:
                try:
                    versions.append(f"{distribution} {importlib.metadata.version(distribution)}")
                except importlib.metadata.PackageNotFoundError:  # part of ROS 2
                    continue
        machine = f"{os.cpu_count()} cores ({processor()}), load {self._load:.1f} at the start"
        python = f"Python {platform.python_version()}"
        return ", ".join([self._date, machine, python, *versions])

    def write_json(self, file: Path) -> None:
        """Write the tables and the details."""
        content = {"about": self.about(), "tables": self.tables} | self.details
        file.write_text(json.dumps(content, indent=2) + "\n")

    def section(self, command: str) -> str:
        """Return the command, the machine and the tables as Markdown."""
        lines = textwrap.wrap(f"`{command}`, {self.about()}.", WIDTH, break_on_hyphens=False)
        for title, rows in self.tables.items():
            cells = [[title, *next(iter(rows.values()))]]
            cells += [[name, *row.values()] for name, row in rows.items()]
            for head, *body in narrow([[text(cell) for cell in row] for row in cells]):
                lines += ["", head, "|" + "---|" * (head.count("|") - 1), *body]
        return "\n".join(lines)


def text(value: Any) -> str:
    """Return a value as text: three significant digits, empty for NaN."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def narrow(rows: list[list[str]]) -> list[list[str]]:
    """Return a table's lines, split into several tables if it is too wide."""
    names, *columns = (list(column) for column in zip(*rows, strict=True))
    tables: list[list[str]] = []
    start = [f"| {name} |" for name in names]
    lines = start
    for column in columns:
        wider = [f"{line} {cell} |" for line, cell in zip(lines, column, strict=True)]
        if max(map(len, wider)) > WIDTH and lines is not start:
            tables.append(lines)
            wider = [f"{line} {cell} |" for line, cell in zip(start, column, strict=True)]
        lines = wider
    return [*tables, lines]


def replaced(page: str, name: str, section: str) -> str:
    """Return the page with the section between a benchmark's marks replaced."""
    mark, end = f"<!-- {name} -->\n", "<!-- end -->"
    before, found, rest = page.partition(mark)
    if not found or end not in rest:
        raise SystemExit(f"{PAGE.name} has no place for {name}; add the line {mark.strip()!r}")
    return f"{before}{mark}{section}\n{end}{rest.partition(end)[2]}"


def processor() -> str:
    """Return the processor's name."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def spread(
    values: Sequence[float] | np.ndarray, shares: Sequence[float] = (50, 95), unit: str = "ms"
) -> dict[str, float]:
    """Return percentiles by their column heads."""
    names = {50: "median", 100: "max"}
    found = np.percentile(values, shares) if len(values) else np.full(len(shares), np.nan)
    heads = (f"{names.get(int(share), f'{share:g} %')} {unit}" for share in shares)
    return dict(zip(heads, map(float, found), strict=True))


def timed(
    clock: Callable[[], float], call: Callable[..., Any], *arguments: Any, **named: Any
) -> tuple[Any, float]:
    """Return the result of a call, and its time by a clock (s)."""
    begin = clock()
    result = call(*arguments, **named)
    return result, clock() - begin


def percent(part: float, whole: float = 1.0) -> str:
    """Return a ratio as a percentage."""
    return f"{100.0 * part / whole:.4g} %"


def main(run: Callable[[Any, Report], None], **options: Any) -> None:
    """Read the options, run the benchmark, and write the requested output."""
    module = sys.modules["__main__"]
    name = module.__spec__.name if module.__spec__ else Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(
        prog=f"python -m {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option, default in options.items():
        parser.add_argument(f"--{option}", **argument(default))
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--page", action="store_true", help=f"update the section in {PAGE.name}")
    chosen = parser.parse_args()
    report = Report()
    run(chosen, report)
    print(f"\n{report.about()}")
    if chosen.json:
        report.write_json(chosen.json)
    if chosen.page:
        written = {"--page", "--json", str(chosen.json)}
        given = (word for word in sys.argv[1:] if word not in written)
        section = report.section(" ".join([f"python -m {name}", *given]))
        PAGE.write_text(replaced(PAGE.read_text(), name, section))


def argument(default: Any) -> dict[str, Any]:
    """Return the keyword arguments of ``add_argument`` for an option."""
    if isinstance(default, type):
        return {"type": default, "required": True}
    if isinstance(default, bool):
        return {"action": "store_true"}
    if isinstance(default, tuple):
        return {"choices": default, "default": default[0], "help": f"default: {default[0]}"}
    said = {"default": default, "help": f"default: {default}"}
    if isinstance(default, list):
        return said | {"nargs": "+", "type": type(default[0])}
    return said | {"type": type(default)}
