"""The benchmarks page has a section for each benchmark, written by the benchmark."""

import re
from pathlib import Path

import pytest

from benchmarks.frame import PAGE, Report, replaced

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_every_benchmark_has_a_section_and_every_section_a_benchmark():
    found = {
        ".".join(file.relative_to(BENCHMARKS.parent).with_suffix("").parts)
        for file in BENCHMARKS.glob("*/*.py")
        if "\n    main(run" in file.read_text()
    }
    page = PAGE.read_text()
    sections = re.findall(r"<!-- (benchmarks\.\S+) -->\n`python -m ([\w.]+)[` ]", page)
    assert {name for name, _ in sections} == found
    assert all(name == command for name, command in sections)
    for name in found:
        assert f"`{name}` |" in page, "the table at the top"


def test_only_the_own_section_is_replaced(capsys):
    report = Report()
    report.row("arm", "ours", {"solved": "50 %", "median ms": 0.01234, "calls": 12345})
    report.row("arm", "theirs", {"solved": "49 %", "median ms": 1234.5, "calls": 0})
    section = report.section("python -m benchmarks.library.b")
    page = "# Title\n<!-- a -->\none\n<!-- end -->\ntext\n<!-- b -->\ntwo\n<!-- end -->\nlast\n"
    written = replaced(page, "b", section)
    assert written.startswith(
        "# Title\n<!-- a -->\none\n<!-- end -->\ntext\n<!-- b -->\n`python -m"
    )
    assert written.endswith("| theirs | 49 % | 1,234 | 0 |\n<!-- end -->\nlast\n")
    assert "| arm | solved | median ms | calls |\n|---|---|---|---|\n" in written
    assert "| ours | 50 % | 0.0123 | 12,345 |" in written
    assert " cores (" in written
    assert "load" in written
    assert replaced(written, "b", "two") == page
    assert replaced(page.replace("two\n", ""), "b", "two") == page
    with pytest.raises(SystemExit, match="no place for c"):
        replaced(page, "c", section)
