"""Draws the dependencies between the packages, from their package.xml, into CONTRIBUTING.md.

python scripts/draw_packages.py           writes the graph between its markers
python scripts/draw_packages.py --check   ends with code 1 if the graph is outdated
"""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"(?<=<!-- packages -->\n).*(?=<!-- end of packages -->)", re.S)


def graph() -> str:
    """Return a line for each package: it and its dependencies that others do not imply."""
    found = {}
    for path in (ROOT / "package.xml", *sorted(ROOT.glob("packages/*/package.xml"))):
        root = ElementTree.parse(path).getroot()
        names = {tag.text for kind in ("depend", "exec_depend") for tag in root.iter(kind)}
        found[root.findtext("name")] = names
    rows = ["```text"]
    for name, names in found.items():
        own = names & found.keys()
        implied = set().union(*(found[other] for other in own))
        if own:
            rows.append(f"{name} -> {', '.join(sorted(own - implied))}")
    return "\n".join((*rows, "```", ""))


def main() -> int:
    """Write the graph into the page; with --check, only compare it. Return the exit code."""
    text = PAGE.read_text()
    drawn = BLOCK.sub(lambda _: graph(), text)
    if "--check" not in sys.argv:
        PAGE.write_text(drawn)
    elif drawn != text:
        print("the graph in CONTRIBUTING.md is outdated: run python scripts/draw_packages.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
