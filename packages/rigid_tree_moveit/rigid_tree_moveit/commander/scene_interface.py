"""PlanningSceneInterface: objects of the planning scene, with moveit_commander's names."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Pose, PoseStamped
from moveit_msgs import msg
from shape_msgs.msg import Mesh as MeshMessage
from shape_msgs.msg import MeshTriangle, Plane, SolidPrimitive

from rigid_tree_kinematics import description
from rigid_tree_kinematics.model import Mesh
from rigid_tree_kinematics.nodes.base import pose_matrix
from rigid_tree_moveit.commander.client import Client, shared_client
from rigid_tree_moveit.commander.fields import converted

Parts = msg.PlanningSceneComponents
OBJECTS = Parts.WORLD_OBJECT_NAMES | Parts.WORLD_OBJECT_GEOMETRY
ATTACHED = Parts.ROBOT_STATE_ATTACHED_OBJECTS


class PlanningSceneInterface:
    """Adds, moves, attaches and removes objects.

    Methods return when the change has been applied, and return whether move_group accepted it.
    Lengths are in m; poses are PoseStamped in any frame of move_group.

    Args:
        ns: namespace of move_group.
        synchronous: accepted for compatibility; changes are always synchronous.
    """

    def __init__(self, ns: str = "", synchronous: bool = True) -> None:
        self._client: Client = shared_client(ns)

    def add_object(self, collision_object: msg.CollisionObject) -> bool:
        """Add, move or remove an object, by its operation."""
        return self._client.change(collision_object)

    send_collision_object = add_object  # its name in older versions

    def add_box(self, name: str, pose: PoseStamped, size: Sequence[float] = (1, 1, 1)) -> bool:
        """Add a box with these edge lengths."""
        return self.add_object(primitive(name, pose, SolidPrimitive.BOX, size))

    def add_sphere(self, name: str, pose: PoseStamped, radius: float = 1) -> bool:
        """Add a sphere."""
        return self.add_object(primitive(name, pose, SolidPrimitive.SPHERE, [radius]))

    def add_cylinder(self, name: str, pose: PoseStamped, height: float, radius: float) -> bool:
        """Add a cylinder along z."""
        return self.add_object(primitive(name, pose, SolidPrimitive.CYLINDER, [height, radius]))

    def add_cone(self, name: str, pose: PoseStamped, height: float, radius: float) -> bool:
        """Add a cone along z."""
        return self.add_object(primitive(name, pose, SolidPrimitive.CONE, [height, radius]))

    def add_mesh(
        self, name: str, pose: PoseStamped, filename: str, size: Sequence[float] = (1, 1, 1)
    ) -> bool:
        """Add the triangles of a file on this machine, scaled; DescriptionError if unreadable."""
        return self.add_object(mesh(name, pose, filename, size))

    def add_plane(
        self, name: str, pose: PoseStamped, normal: Sequence[float] = (0, 0, 1), offset: float = 0
    ) -> bool:
        """Add the plane normal . x + offset = 0, in the frame of the pose."""
        coef = [*converted("normal", "double[3]", normal), converted("offset", "double", offset)]
        return self.add_object(_added(name, pose, planes=[Plane(coef=coef)], plane_poses=[Pose()]))

    def attach_object(
        self, object: Any, link: str | None = None, touch_links: Sequence[str] | None = None
    ) -> bool:
        """Attach an object of the scene, by name, or a new one to a link.

        Only ``touch_links`` may touch it; by default, the link.
        """
        item = object
        if isinstance(item, str):
            item = msg.CollisionObject(id=item, operation=msg.CollisionObject.ADD)
        if isinstance(item, msg.CollisionObject):
            item = msg.AttachedCollisionObject(object=item)
        item = converted("object", "moveit_msgs/AttachedCollisionObject", item)
        item.link_name = item.link_name if link is None else link
        touching = [item.link_name] if touch_links is None else touch_links
        item.touch_links = converted("touch_links", "sequence<string>", touching)
        return self._client.change(item)

    def attach_box(
        self,
        link: str,
        name: str,
        pose: PoseStamped | None = None,
        size: Sequence[float] = (1, 1, 1),
        touch_links: Sequence[str] | None = None,
    ) -> bool:
        """Attach an object of the scene; with a pose, a new box."""
        new = primitive(name, pose, SolidPrimitive.BOX, size) if pose else name
        return self.attach_object(new, link, touch_links)

    def attach_mesh(
        self,
        link: str,
        name: str,
        pose: PoseStamped | None = None,
        filename: str = "",
        size: Sequence[float] = (1, 1, 1),
        touch_links: Sequence[str] | None = None,
    ) -> bool:
        """Attach an object of the scene; with a pose and a file, its triangles, scaled."""
        new = mesh(name, pose, filename, size) if pose and filename else name
        return self.attach_object(new, link, touch_links)

    def attach_sphere(
        self,
        link: str,
        name: str,
        pose: PoseStamped | None = None,
        radius: float = 1,
        touch_links: Sequence[str] | None = None,
    ) -> bool:
        """Attach an object of the scene; with a pose, a new sphere."""
        new = primitive(name, pose, SolidPrimitive.SPHERE, [radius]) if pose else name
        return self.attach_object(new, link, touch_links)

    def attach_cylinder(
        self,
        link: str,
        name: str,
        pose: PoseStamped | None = None,
        height: float = 1,
        radius: float = 1,
        touch_links: Sequence[str] | None = None,
    ) -> bool:
        """Attach an object of the scene; with a pose, a new cylinder along z."""
        new = primitive(name, pose, SolidPrimitive.CYLINDER, [height, radius]) if pose else name
        return self.attach_object(new, link, touch_links)

    def remove_attached_object(self, link: str | None = None, name: str | None = None) -> bool:
        """Detach an object, all of a link, or all. They remain in the scene."""
        remove = msg.CollisionObject(id=name or "", operation=msg.CollisionObject.REMOVE)
        item = msg.AttachedCollisionObject(link_name=link or "", object=remove)
        return self._client.change(item)

    def remove_world_object(self, name: str | None = None) -> bool:
        """Remove an object that is not attached, or all."""
        return self.add_object(
            msg.CollisionObject(id=name or "", operation=msg.CollisionObject.REMOVE)
        )

    def clear(self) -> bool:
        """Remove all objects, attached ones included."""
        return self.remove_attached_object() and self.remove_world_object()

    def get_known_object_names(self, with_type: bool = False) -> list[str]:
        """Return the names of the objects that are not attached, or only of those with a type."""
        found = self.get_objects().values()
        return [item.id for item in found if item.type.key or not with_type]

    def get_known_object_names_in_roi(
        self,
        minx: float,
        miny: float,
        minz: float,
        maxx: float,
        maxy: float,
        maxz: float,
        with_type: bool = False,
    ) -> list[str]:
        """Return the names of the objects whose shapes' origins are in a box (planning frame, m).

        Objects that are attached, or of planes only, are left out; see ``get_known_object_names``.
        """
        low, high = np.array([minx, miny, minz]), np.array([maxx, maxy, maxz])
        names = []
        for item in self.get_objects().values():
            shapes = [*item.mesh_poses, *item.primitive_poses]
            T = pose_matrix(item.pose)
            origins = np.array([(T @ pose_matrix(pose))[:3, 3] for pose in shapes])
            inside = bool(shapes) and bool(((origins >= low) & (origins <= high)).all())
            if inside and (item.type.key or not with_type):
                names.append(item.id)
        return names

    def get_objects(self, object_ids: Sequence[str] = ()) -> dict[str, msg.CollisionObject]:
        """Return objects that are not attached by name; without names, all."""
        found = self.get_planning_scene(OBJECTS).world.collision_objects
        return {item.id: item for item in found if item.id in object_ids or not object_ids}

    def get_object_poses(self, object_ids: Sequence[str]) -> dict[str, Pose]:
        """Return the poses of objects in the planning frame."""
        return {name: item.pose for name, item in self.get_objects(object_ids).items()}

    def get_attached_objects(
        self, object_ids: Sequence[str] = ()
    ) -> dict[str, msg.AttachedCollisionObject]:
        """Return attached objects by name; without names, all."""
        found = self.get_planning_scene(ATTACHED).robot_state.attached_collision_objects
        items = {item.object.id: item for item in found}
        return {name: items[name] for name in items if name in object_ids or not object_ids}

    def get_planning_scene(self, components: int) -> msg.PlanningScene:
        """Return parts of the scene (see PlanningSceneComponents)."""
        return self._client.scene(components)

    def apply_planning_scene(self, planning_scene_message: msg.PlanningScene) -> bool:
        """Apply a scene or a diff."""
        return self._client.apply(planning_scene_message)


def primitive(
    name: str, pose: PoseStamped, kind: int, size: Sequence[float]
) -> msg.CollisionObject:
    """Return a primitive (see SolidPrimitive) that is added at a pose."""
    shape = SolidPrimitive(type=kind, dimensions=converted("size", "sequence<double, 3>", size))
    return _added(name, pose, primitives=[shape], primitive_poses=[Pose()])


def mesh(
    name: str, pose: PoseStamped, filename: str, scale: Sequence[float]
) -> msg.CollisionObject:
    """Return a file's triangles, to be added at a pose; DescriptionError if unreadable."""
    x, y, z = converted("size", "double[3]", scale)
    found = description.load_mesh(Mesh(filename, scale=(x, y, z)))
    shape = MeshMessage(
        vertices=[Point(x=x, y=y, z=z) for x, y, z in found.vertices.tolist()],
        triangles=[MeshTriangle(vertex_indices=corners) for corners in found.faces],
    )
    return _added(name, pose, meshes=[shape], mesh_poses=[Pose()])


def _added(name: str, pose: PoseStamped, **shapes: Any) -> msg.CollisionObject:
    pose = converted("pose", "geometry_msgs/PoseStamped", pose)
    return msg.CollisionObject(
        header=pose.header, id=name, pose=pose.pose, operation=msg.CollisionObject.ADD, **shapes
    )
