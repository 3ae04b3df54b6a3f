"""In a notebook with a real kernel, a robot has an interactive view and a figure."""

import base64
import io
import re

import nbformat
import pytest
import trimesh
from nbclient import NotebookClient

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.figures.screen import in_notebook, show_in_notebook

CELLS = (
    "from rigid_tree_kinematics import load_robot\nrobot = load_robot('panda')\nrobot.show()",
    "from rigid_tree_kinematics import RigidBodyTree\nRigidBodyTree('bare').show()",
)


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [
        {kind: data for output in cell.outputs for kind, data in output.get("data", {}).items()}
        for cell in notebook.cells
    ]


def test_the_view_holds_the_robot_and_needs_no_network(outputs):
    page = outputs[0]["text/html"]
    assert "image/png" in outputs[0]
    assert not re.search(r"""(src|href)=(&quot;|["'])https?://""", page)
    (glb,) = re.findall(r"[A-Za-z0-9+/=]{10000,}", page.replace("&quot;", '"'))[-1:]
    shown = trimesh.load_scene(io.BytesIO(base64.b64decode(glb)), file_type="glb")
    assert {*load_robot("panda").body_names} <= set(shown.graph.nodes)


def test_a_robot_without_visuals_has_the_figure_only(outputs):
    assert "image/png" in outputs[1]
    assert "text/html" not in outputs[1]


def test_outside_of_notebooks_nothing_is_displayed(capsys):
    assert not in_notebook()
    show_in_notebook(load_robot("panda"))
    assert capsys.readouterr().out == ""
