"""Length limits of pages, and README's figures against the benchmarks page."""

import re

from harness.documents import ROOT, pages

MOST_LINES, MOST_COLUMNS = 120, 120  # of the README; of a line of Markdown
# A row of the README's table: the section that it links to, and the cells with figures.
FIGURE = re.compile(
    r"^\| \[.*?\]\(docs/benchmarks\.md#(?P<section>[\w-]+)\).*? \| (?P<cells>.*)", re.M
)


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_no_line_is_too_long():
    markdown = [page for page in pages() if page.suffix == ".md"]
    too_long = [
        f"{page.relative_to(ROOT)}:{number}: {len(line)} columns"
        for page in markdown
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MOST_COLUMNS
    ]
    assert not too_long, "\n".join(too_long)


def test_the_figures_of_the_readme_are_those_of_the_benchmarks():
    sections = {
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-"): text
        for title, text in re.findall(
            r"^#{2,3} (.*)\n((?:(?!#{2,3} ).*\n)*)",
            (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"),
            re.M,
        )
    }
    rows = FIGURE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert rows
    for section, cells in rows:
        for figure in re.findall(r"\d[\d.,]*", cells):
            found = re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", sections[section])
            assert found, f"{figure} is not in the section {section} of docs/benchmarks.md"


def test_the_tests_that_the_robustness_page_names_exist():
    named = re.findall(r"`([\w/]*test_\w+\.py)`", (ROOT / "docs/robustness.md").read_text("utf-8"))
    tests = [
        path.as_posix()
        for folder in ("test", "packages")
        for path in (ROOT / folder).rglob("test_*.py")
    ]
    assert named
    assert not [name for name in named if not any(path.endswith(f"/{name}") for path in tests)]
