"""Build description of rigid_tree_batch: colcon runs it for ROS 2, pip for the library alone."""

import sys
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

NAME = "rigid_tree_batch"
# What makes the node of a program.
NODES = [
    "reachability_display = rigid_tree_batch.nodes.reachability_display:ReachabilityDisplay",
]
SCRIPTS = [f"{node.partition(':')[0]}:main" for node in NODES]
DATA = [
    ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
    (f"share/{NAME}", ["package.xml"]),
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
        "Reachability maps, base placement and data sets of rigid_tree_kinematics, on all"
        " cores or a cluster."
    ),
    long_description=Path(__file__).resolve().with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    install_requires=[
        "rigid_tree_kinematics[planning]",
        "dask>=2024.8",
        "distributed>=2024.8",
        "pyarrow>=18",
        "zarr>=2.18",
    ],
    extras_require={
        "test": ["pytest"],
        "figures": ["matplotlib>=3.8"],
    },
    data_files=[] if FOR_PIP else DATA,
    entry_points={}
    if FOR_PIP
    else {"console_scripts": SCRIPTS, "rigid_tree_kinematics.nodes": NODES},
)
