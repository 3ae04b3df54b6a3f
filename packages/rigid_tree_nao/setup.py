"""Build description of rigid_tree_nao: colcon runs it for ROS 2, pip for the library alone."""

import sys
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

NAME = "rigid_tree_nao"
# What makes the node of a program.
NODES = [
    "nao_bridge = rigid_tree_nao.nodes.nao_bridge:NaoBridge",
]
SCRIPTS = [f"{node.partition(':')[0]}:main" for node in NODES] + [
    "simulated_nao = rigid_tree_nao.simulated.server:run"
]
DATA = [
    ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
    (f"share/{NAME}", ["package.xml"]),
    (f"share/{NAME}/launch", glob("launch/*.*")),
    (f"share/{NAME}/config", glob("config/*.*")),
    (f"share/{NAME}/examples", glob("examples/*.*")),
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
        "NAO for rigid_tree_kinematics: its model, the ALMotion interface, a simulated "
        "robot and the bridge to ROS 2."
    ),
    long_description=Path(__file__).resolve().with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    install_requires=[
        "rigid_tree_kinematics",
        'qi>=3.1.5; python_version < "3.13" and platform_machine == "x86_64"',
    ],
    extras_require={
        "test": ["pytest"],
    },
    data_files=[] if FOR_PIP else DATA,
    entry_points={}
    if FOR_PIP
    else {"console_scripts": SCRIPTS, "rigid_tree_kinematics.nodes": NODES},
)
