"""ALMotion's general methods, tasks and reflexes."""

import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.model import finite_numbers
from rigid_tree_nao.simulated.robot import (
    CYCLE,
    Late,
    SelfCollision,
    SimulatedRobot,
    stiffness_of,
)

# Switches without effect on a robot that cannot fall; they only store their value.
SWITCHES = ("FallManager", "SmartStiffness", "DiagnosisEffect", "PushRecovery")
PROTECTED = ("Arms", "LArm", "RArm")
LIVING = ("Body", "Head", "Legs", "Arms", "LArm", "RArm")  # what breathes and idles
DISTANCES = {"Orthogonal": 0.4, "Tangential": 0.1}  # m, from obstacles to a walk
# Parameters of setMotionConfig, without effect: a lifted robot never walks, and it cannot fall.
MOTION_CONFIG = (
    "ENABLE_FOOT_CONTACT_PROTECTION",
    "ENABLE_STIFFNESS_PROTECTION",
    "ENABLE_FALL_MANAGER_PROTECTION",
    "ENABLE_DEACTIVATION_OF_FALL_MANAGER",
    "CONTROL_USE_ACCELERATION_INTERPOLATOR",
    "CONTROL_JOINT_MAX_ACCELERATION",
)
BREATH = {"Bpm": 12.0, "Amplitude": 0.5}


class GeneralMethods:
    """ALMotion's methods of these groups, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot, stop_walk: Callable[[], None]) -> None:
        self._robot = robot
        self._stop_walk = stop_walk
        self._collision = SelfCollision(robot.body.robot_name)
        model = robot.model
        self._switches = dict.fromkeys((*SWITCHES, "Notifications"), True)
        self._protected = {
            "CollisionProtection": dict.fromkeys(PROTECTED, True),
            "ExternalCollisionProtection": dict.fromkeys(("All", "Move", *PROTECTED), True),
        }
        self._living = {kind: dict.fromkeys(LIVING, False) for kind in ("Breath", "IdlePosture")}
        self._distances, self._breath = dict(DISTANCES), dict(BREATH)
        self.methods: dict[str, Callable[..., Any]] = {
            "getBodyNames": model.get_body_names,
            "getJointNames": model.get_joint_names,
            "getSensorNames": model.get_sensor_names,
            "getLimits": model.get_limits,
            "getMotionCycleTime": lambda: int(1000 * CYCLE),
            "getRobotConfig": self._configuration,
            "getSummary": self._summary,
            "getMass": model.get_mass,
            "getCOM": model.get_com,
            "getSupportPolygon": Late(
                partial(importlib.import_module, "scipy.spatial"), model.get_support_polygon
            ),
            "isCollision": self._is_collision,
            "getTaskList": lambda: [[t.name, t.number] for t in robot.board.listed()],
            "areResourcesAvailable": lambda names: (
                not robot.board.waiting_for(self._resources(names))
            ),
            "killTask": lambda number: robot.board.kill(lambda t: t.number == number) > 0,
            "killTasksUsingResources": self._kill_using,
            "killMove": stop_walk,
            "killWalk": stop_walk,
            "killAll": self._kill_all,
            "setMotionConfig": self._set_motion_config,
            "areNotificationsEnabled": lambda: self._switches["Notifications"],
            "setEnableNotifications": partial(self._switches.__setitem__, "Notifications"),
        }
        for switch in SWITCHES:
            self.methods[f"set{switch}Enabled"] = partial(self._switches.__setitem__, switch)
            self.methods[f"get{switch}Enabled"] = partial(self._switches.__getitem__, switch)
        for kind in DISTANCES:
            self.methods[f"set{kind}SecurityDistance"] = partial(self._set_distance, kind)
            self.methods[f"get{kind}SecurityDistance"] = partial(self._distances.__getitem__, kind)
        self.methods["setBreathConfig"] = self._set_breath
        self.methods["getBreathConfig"] = lambda: [[k, v] for k, v in self._breath.items()]
        for kind, chains in (*self._living.items(), *self._protected.items()):
            self.methods[f"set{kind}Enabled"] = partial(_set_chain, chains)
            self.methods[f"get{kind}Enabled"] = partial(_get_chain, chains)

    def _configuration(self) -> list[list[Any]]:
        body = self._robot.body
        values = {
            "Model Type": f"nao{body.body_type}",
            **dict.fromkeys(("Head Version", "Body Version", "Arm Version"), body.version),
            **{"Laser": False, "Legs": True, "Arms": True, "Extended Arms": False},
            "Hands": bool(body.hands),
            **{"Number of Legs": 2, "Number of Arms": 2, "Number of Hands": len(body.hands)},
        }
        return [list(values), list(values.values())]

    def _summary(self) -> str:
        tasks = "".join(f"\n{t.name:>16}{t.number:12}" for t in self._robot.board.listed())
        return (
            f"{self._robot.model.get_summary()}\n\ntasks{tasks or ': none'}\n\n"
            f"motion cycle time: {1000 * CYCLE:g} ms"
        )

    def _is_collision(self, chain: str) -> Future[str]:
        body = self._robot.body
        bodies = {body.bodies[joint] for joint in body.joints(chain)}
        q = self._robot.model.sensors[body.places(body.tree.joint_names)]
        return self._collision.touches(q, bodies)

    def _resources(self, names: Sequence[str]) -> set[str]:
        joints = self._robot.body.joints(names)
        return {*joints, *stiffness_of(joints)}

    def _kill_using(self, names: Sequence[str]) -> None:
        resources = self._resources(names)
        self._robot.board.kill(lambda task: bool(resources & task.resources))
        self._robot.drives.remove(set(self._robot.body.joints(names)))

    def _kill_all(self) -> None:
        self._stop_walk()
        self._robot.board.kill(lambda task: True)
        self._robot.drives.remove(set(self._robot.body.joint_names))

    def _set_distance(self, kind: str, distance: float) -> None:
        (value,) = finite_numbers([distance])
        if value < 0.0:
            raise NaoError(f"a distance must be at least 0 m, not {distance}")
        self._distances[kind] = float(value)

    def _set_motion_config(self, config: Sequence[Sequence[Any]]) -> None:
        for name, _ in config:
            if name not in MOTION_CONFIG:
                raise unknown_name("motion parameter", name, MOTION_CONFIG)

    def _set_breath(self, config: Sequence[Sequence[Any]]) -> None:
        for name, value in config:
            if name not in self._breath:
                raise unknown_name("parameter", name, self._breath)
            self._breath[name] = float(finite_numbers([value])[0])


def _set_chain(chains: dict[str, bool], chain: str, enable: Any) -> bool:
    _get_chain(chains, chain)  # raises NaoError for an unknown one
    parts = {"Arms": ("Arms", "LArm", "RArm"), "All": chains, "Body": chains}
    for name in parts.get(chain, (chain,)):
        chains[name] = bool(enable)
    return True


def _get_chain(chains: dict[str, bool], chain: str) -> bool:
    if chain not in chains:
        raise unknown_name("chain", chain, chains)
    return chains[chain]
