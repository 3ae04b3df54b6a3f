"""ros2_control's controller_manager services, for a simulated robot's controllers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from controller_manager_msgs import srv
from controller_manager_msgs.msg import ControllerState, HardwareComponentState, HardwareInterface
from lifecycle_msgs.msg import State

from rigid_tree_kinematics.nodes.simulator.simulator_node import SimulatorNode

UNLOADED, UNCONFIGURED, INACTIVE, ACTIVE = "unloaded", "unconfigured", "inactive", "active"
LOADED = UNCONFIGURED, INACTIVE
PLUGIN = "rigid_tree_kinematics/RobotSimulator"
BASE_CLASS = "controller_interface::ControllerInterface"
QUANTITIES = ("position", "velocity", "effort")  # that joint_states has


@dataclass(eq=False)
class SimulatedController:
    """A controller and its state.

    Args:
        name, type: as in ros2_control.
        joints: returns the joints that it reads.
        commands: whether it also commands their positions.
        halt: called when it is deactivated, with the reason.
    """

    name: str
    type: str
    joints: Callable[[], Sequence[str]]
    commands: bool = True
    halt: Callable[[str], None] = lambda reason: None
    state: str = ACTIVE

    @property
    def is_active(self) -> bool:
        """Whether it takes commands, or publishes."""
        return self.state == ACTIVE

    @property
    def command_interfaces(self) -> list[str]:
        """Names of the command interfaces, joint/quantity."""
        return [f"{joint}/position" for joint in self.joints()] if self.commands else []


class ControllerManager:
    """The services ``controller_manager/...`` of a node.

    Unloaded controllers keep their topics and actions, and can be loaded again.
    """

    def __init__(
        self, node: SimulatorNode, controllers: Callable[[], Sequence[SimulatedController]]
    ) -> None:
        self._node, self._controllers = node, controllers
        for kind, name, work in (
            (srv.ListControllers, "list_controllers", self._list),
            (srv.ListControllerTypes, "list_controller_types", self._list_types),
            (srv.ListHardwareInterfaces, "list_hardware_interfaces", self._list_interfaces),
            (srv.ListHardwareComponents, "list_hardware_components", self._list_components),
            (srv.LoadController, "load_controller", self._moving(UNCONFIGURED, UNLOADED)),
            (srv.ConfigureController, "configure_controller", self._moving(INACTIVE, *LOADED)),
            (srv.UnloadController, "unload_controller", self._moving(UNLOADED, *LOADED)),
            (srv.SwitchController, "switch_controller", self._switch),
            (srv.ReloadControllerLibraries, "reload_controller_libraries", self._reload),
        ):
            node.create_service(kind, f"controller_manager/{name}", self._locked(work))

    def _locked(self, work: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        def answer(request: Any, response: Any) -> Any:
            with self._node.lock:
                work(request, response)
            return response

        return answer

    def _find(self, name: str) -> SimulatedController | None:
        return next((c for c in self._controllers() if c.name == name), None)

    def _list(self, request: Any, response: Any) -> None:
        for controller in self._controllers():
            if controller.state == UNLOADED:
                continue
            report = ControllerState(
                name=controller.name, type=controller.type, state=controller.state
            )
            if hasattr(report, "update_rate"):  # not in Humble
                report.update_rate = round(self._node.settings.rate)
            if controller.state != UNCONFIGURED:
                quantities = QUANTITIES[:2] if controller.commands else QUANTITIES
                report.required_command_interfaces = controller.command_interfaces
                report.required_state_interfaces = [
                    f"{joint}/{quantity}"
                    for joint in controller.joints()
                    for quantity in quantities
                ]
            if controller.is_active:
                report.claimed_interfaces = controller.command_interfaces
            response.controller.append(report)

    def _list_types(self, request: Any, response: Any) -> None:
        response.types = sorted({controller.type for controller in self._controllers()})
        response.base_classes = [BASE_CLASS] * len(response.types)

    def _list_interfaces(self, request: Any, response: Any) -> None:
        names = self._node.moved_joints()
        active = [c for c in self._controllers() if c.is_active]
        claimed = {name for c in active for name in c.command_interfaces}
        commands = [f"{name}/position" for name in names]
        response.command_interfaces = [_interface(n, n in claimed) for n in commands]
        states = [f"{name}/{quantity}" for name in names for quantity in QUANTITIES]
        response.state_interfaces = [_interface(name, False) for name in states]

    def _list_components(self, request: Any, response: Any) -> None:
        robot = self._node.robot
        if robot is None:
            return
        lists = srv.ListHardwareInterfaces.Response()
        self._list_interfaces(None, lists)
        component = HardwareComponentState(name=robot.compiled.name, type="system")
        for field in ("plugin_name", "class_type"):  # the latter in Humble and Jazzy
            if hasattr(component, field):
                setattr(component, field, PLUGIN)
        component.state = State(id=State.PRIMARY_STATE_ACTIVE, label=ACTIVE)
        component.command_interfaces = lists.command_interfaces
        component.state_interfaces = lists.state_interfaces
        response.component = [component]

    def _moving(self, after: str, *before: str) -> Callable[[Any, Any], None]:
        """Return a service callback that moves a controller from one of some states to another."""

        def move(request: Any, response: Any) -> None:
            controller = self._find(request.name)
            response.ok = controller is not None and controller.state in before
            if controller is not None and response.ok:
                controller.state = after

        return move

    def _reload(self, request: Any, response: Any) -> None:
        """Unload all controllers, as reloading their libraries does."""
        active = [c for c in self._controllers() if c.is_active]
        response.ok = bool(request.force_kill) or not active
        if response.ok:
            for controller in active:
                controller.halt("its controller was unloaded")
            for controller in self._controllers():
                controller.state = UNLOADED

    def _switch(self, request: Any, response: Any) -> None:
        """Change states; STRICT: all or none, otherwise those that can be changed."""
        strict = request.strictness == request.STRICT
        changes: dict[str, list[SimulatedController]] = {INACTIVE: [], ACTIVE: []}
        problems: list[str] = []
        requested = (
            ("deactivate", request.deactivate_controllers, ACTIVE, INACTIVE),
            ("activate", request.activate_controllers, INACTIVE, ACTIVE),
        )
        response.ok = True
        for verb, names, before, after in requested:
            found = 0
            for name in names:
                controller = self._find(name)
                state = UNLOADED if controller is None else controller.state
                is_there = controller is not None and state in (ACTIVE, INACTIVE)
                leaves = after == ACTIVE and controller in changes[INACTIVE]
                found += is_there
                if controller is not None and (state == before or leaves):
                    changes[after].append(controller)
                elif strict or not is_there:
                    problems.append(f"cannot {verb} controller '{name}': it is {state}")
            response.ok = response.ok and (found > 0 or not names)
        response.ok = response.ok and not (strict and problems)
        if response.ok:
            for controller in changes[INACTIVE]:
                controller.state = INACTIVE
                controller.halt("its controller was deactivated")
            for controller in changes[ACTIVE]:
                controller.state = ACTIVE
        if hasattr(response, "message"):  # not in Humble
            response.message = "; ".join(problems)


def _interface(name: str, claimed: bool) -> HardwareInterface:
    interface = HardwareInterface(name=name, is_available=True, is_claimed=claimed)
    if hasattr(interface, "data_type"):  # not in Humble
        interface.data_type = "double"
    return interface
