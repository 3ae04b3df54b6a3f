"""Build description of rigid_tree_demos: colcon runs it for ROS 2."""

from glob import glob

from setuptools import find_packages, setup

NAME = "rigid_tree_demos"
# What makes the node of a program.
NODES = [
    "ik_demo = rigid_tree_demos.ik_demo:IkDemo",
    "nao_demo = rigid_tree_demos.nao_demo:NaoDemo",
    "planar_rrt = rigid_tree_demos.planar_rrt:PlanarRrt",
    "planning_demo = rigid_tree_demos.planning_demo:PlanningDemo",
    "tour = rigid_tree_demos.tour:Tour",
]
SCRIPTS = [f"{node.partition(':')[0]}:main" for node in NODES]
DATA = [
    ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
    (f"share/{NAME}", ["package.xml"]),
    (f"share/{NAME}/launch", glob("launch/*.*")),
    (f"share/{NAME}/config", glob("config/*.*")),
    (f"share/{NAME}/examples", glob("examples/*.*")),
]

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
        "Demonstrations of rigid_tree_kinematics: a guided tour, planning, a planar arm, "
        "a pendulum, a carried box."
    ),
    license="Apache-2.0",
    install_requires=[
        "setuptools",
    ],
    extras_require={
        "test": ["pytest"],
    },
    data_files=DATA,
    entry_points={"console_scripts": SCRIPTS, "rigid_tree_kinematics.nodes": NODES},
)
