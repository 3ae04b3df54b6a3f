"""Sphinx builds the manual without warnings, and its reference matches the sources."""

import importlib
import inspect
import re
import subprocess
import sys
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from rcl_interfaces.srv import ListParameters

from harness.network import Network
from harness.page.browser import opened_browser

pytest.importorskip("sphinx", reason="pip install -r requirements-docs.txt")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Those of rclpy and of parts that take names from a robot or from other parameters.
NOT_IN_DATACLASSES = ("qos_overrides", "use_sim_time", "start_type_description_service")


@pytest.fixture(scope="module")
def site():
    """Return the folder of the built manual, where ``make docs`` builds it, too."""
    folder = ROOT / "build" / "docs"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(DOCS), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return folder


browser = pytest.fixture(scope="module", name="browser")(opened_browser)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        (
            "jacobian",
            [
                "reference/api_kinematics.html",
                "kinematics.html",
                "reference/api_kinematics.html#rigid_tree_kinematics.kinematics.",
            ],
        ),
        ("inverse kinematics", ["ik.html", "", "tutorial/2_inverse_kinematics.html"]),
        ("planning", ["reference/api_planning.html", "tutorial/3_planning.html", "planning.html"]),
    ],
)
def test_the_search_finds_what_explains_first(site, browser, query, first):
    page = browser.new_page()
    page.goto(f"file://{site}/search.html?q={query}")
    page.get_by_text("Search finished").wait_for()
    links = page.locator("#search-results li > a")
    found = [link.get_attribute("href") for link in links.all()]
    page.close()
    for wanted, link in zip(first, found, strict=False):
        assert link.startswith(wanted), found[:3]
    pages = [link.partition(".html")[0] for link in found]
    measured = pages.index("benchmarks")
    assert set(pages[measured:]) <= {"benchmarks", "changelog", "contributing", "robustness"}


def test_every_public_name_is_in_the_reference_which_starts_with_what_is_used_first(site):
    first = {"ik": "InverseKinematics", "collision": "CollisionChecker"}
    for room in ("description", "model", "kinematics", "ik", "collision", "planning", "servo"):
        names = importlib.import_module(f"rigid_tree_kinematics.{room}").__all__
        page = (site / "reference" / f"api_{room}.html").read_text()
        found = re.findall(rf'<dt [^>]*id="rigid_tree_kinematics\.{room}\.(\w+)"', page)
        assert set(names) <= {*re.findall(rf'id="rigid_tree_kinematics\.{room}\.(\w+)"', page)}
        assert found[0] == first.get(room, found[0])
        assert len(found) == len(set(found)), room


def test_signatures_are_short_and_inherited_methods_are_listed(site):
    for page in (site / "reference").glob("api_*.html"):
        assert "_SupportsArray" not in page.read_text(), page.name
    page = (site / "reference" / "api_ik.html").read_text()
    assert 'id="rigid_tree_kinematics.ik.InverseKinematics.solve"' in page


def test_every_interface_and_its_comments_are_in_the_reference(site):
    for package in (ROOT / "packages").glob("*_interfaces"):
        page = unescape((site / "reference" / f"{package.name}.html").read_text())
        for path in package.glob("[ams]*/*.*"):
            assert f"{package.name}/{path.parent.name}/{path.stem}" in page
    page = (site / "reference" / "rigid_tree_interfaces.html").read_text()
    assert "TF has no transform between target.header.frame_id and the robot" in page


def test_the_parameters_are_those_that_a_node_declares(site, tmp_path):
    text = (DOCS / "reference" / "parameters.md").read_text()
    with closing(Network(tmp_path)) as network:
        for node in ("ik_server", "rrt_planner", "tree_state_publisher"):
            section = text.partition(f"\n## {node}\n")[2].partition("\n## ")[0]
            written = {line.split("`")[1] for line in section.splitlines() if line[:3] == "| `"}
            network.start(node)
            names = network.call(ListParameters, f"/{node}/list_parameters").result.names
            assert written == {n for n in names if not n.startswith(NOT_IN_DATACLASSES)}, node


def words(text):
    """Return the words of a text without quotes, marks and line ends."""
    return " ".join(re.findall(r"\w+", text))


def test_properties_keep_their_sentences(site):
    """Napoleon takes the words before a colon in a property's docstring for its type."""
    for room in ("collision", "model", "planning"):
        package = importlib.import_module(f"rigid_tree_kinematics.{room}")
        page = (site / "reference" / f"api_{room}.html").read_text()
        text = words(unescape(re.sub("<[^>]*>", "", page)))
        classes = [getattr(package, name) for name in package.__all__]
        for described in filter(inspect.isclass, classes):
            for name, value in vars(described).items():
                if isinstance(value, property) and not name.startswith("_"):
                    sentence = inspect.getdoc(value).partition("\n\n")[0]
                    assert words(sentence) in text, f"{described.__name__}.{name}"
