"""Build description of rigid_tree_web: colcon runs it for ROS 2, pip for the library alone."""

import sys
from pathlib import Path

from setuptools import find_packages, setup

NAME = "rigid_tree_web"
# What makes the node of a program.
NODES = [
    "web_viewer = rigid_tree_web.nodes.web_viewer:WebViewer",
]
SCRIPTS = [f"{node.partition(':')[0]}:main" for node in NODES]
DATA = [
    ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
    (f"share/{NAME}", ["package.xml"]),
]
# A wheel has no programs: they need ROS 2.
FOR_PIP = not {"sdist", "bdist_wheel", "dist_info", "editable_wheel"}.isdisjoint(sys.argv)

setup(
    name=NAME,
    version="0.1.0",
    python_requires=">=3.10",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    zip_safe=False,
    maintainer="rigid_tree_kinematics maintainers",
    maintainer_email="maintainers@users.noreply.github.com",
    description=(
        "A browser page with robots of rigid_tree_kinematics: bodies, frames, sliders, "
        "targets and motions."
    ),
    long_description=Path(__file__).resolve().with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    install_requires=[
        "rigid_tree_kinematics",
        "markdown-it-py>=3.0",
        "nh3>=0.2.18",
        "viser>=1.1",
    ],
    extras_require={
        "test": ["pytest"],
        "mcap": ["mcap-ros2-support>=0.5.5"],
    },
    data_files=[] if FOR_PIP else DATA,
    entry_points={}
    if FOR_PIP
    else {"console_scripts": SCRIPTS, "rigid_tree_kinematics.nodes": NODES},
)
