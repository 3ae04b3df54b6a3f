"""Build description of rigid_tree_moveit: colcon runs it for ROS 2."""

from glob import glob

from setuptools import find_packages, setup

NAME = "rigid_tree_moveit"
# What makes the node of a program.
NODES = [
    "move_group = rigid_tree_moveit.nodes.move_group:make_node",
    "servo_keyboard = rigid_tree_moveit.nodes.servo_keyboard:ServoKeyboard",
    "servo_node = rigid_tree_moveit.nodes.servo_node:make_node",
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
        "MoveIt's interface to rigid_tree_kinematics: move_group, servo_node, and the "
        "Python names of moveit_commander and moveit_py."
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
