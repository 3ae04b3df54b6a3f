"""The views of all users: each shows everything until its user moves the camera."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array

if TYPE_CHECKING:
    import viser

FIELD_OF_VIEW = 0.9  # rad, upright
DIRECTION = np.array([-1.3, 1.4, -0.7])  # of the view: from the front, the right and above
FLAT = 0.1  # height over width, below which content is seen from above: x right, y up
FROM_ABOVE = np.array([0.0, 0.2, -1.0])
NEAREST = 0.3  # m, from the camera to the first point
MARGIN = 0.08  # of half the picture
EMPTY = np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]])  # m, shown without a robot
SAME = 1e-3  # of the distance; camera positions closer than this are equal
SAME_ASPECT = 0.01
ERRORS = ArithmeticError, TypeError, ValueError  # of cameras that clients have sent


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera at a position, with a point in the middle of its picture (m)."""

    position: Array
    look_at: Array


def fitted_camera(points: Array, aspect: float) -> Camera:
    """Return the nearest camera that shows all points (n, 3) beside the panel.

    ``aspect`` is the picture's width over its height. With axes x to the right, y up and z ahead,
    a point is in the picture if |x| <= z tan(a / 2) aspect and |y| <= z tan(a / 2), where a is
    FIELD_OF_VIEW. Both are linear in the camera's position, so the solution has a closed form.
    """
    *sides, height = np.ptp(points, axis=0)
    direction = FROM_ABOVE if height < FLAT * max(sides) else DIRECTION
    ahead = direction / np.linalg.norm(direction)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    x, y, z = points @ right, points @ up, points @ ahead
    slope = np.tan(0.5 * FIELD_OF_VIEW)
    edge = 1.0 - MARGIN
    # Each edge bounds one coordinate of the camera; the bounds depend on its depth.
    bounds = [
        ((x - high * s * z).max(), (x - low * s * z).min(), low * s, high * s)
        for x, s, low, high in ((x, slope * aspect, -edge, edge), (y, slope, -edge, edge))
    ]
    depths = [(most - least) / (high - low) for least, most, low, high in bounds]
    depth = min(*depths, z.min() - NEAREST)
    across, upwards = (
        0.5 * (least + most + (low + high) * depth) for least, most, low, high in bounds
    )
    position = across * right + upwards * up + depth * ahead
    return Camera(position, position + (0.5 * (z.min() + z.max()) - depth) * ahead)


def box_corners(points: Array) -> Array:
    """Return the corners (8, 3) of the box around points (n, 3); none (0, 3) without points."""
    if not len(points):
        return np.zeros((0, 3))
    ends = np.stack((points.min(axis=0), points.max(axis=0)))
    return np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(-1, 3)


def _aspect(camera: viser.CameraHandle) -> float:
    """Return a picture's width over its height; 1 if it is empty, until its window is opened."""
    width, height = camera.image_width, camera.image_height
    return width / height if min(width, height) > 0 else 1.0


@dataclass
class _View:
    """The camera sent to a user's page; the page's first messages can be older."""

    camera: Camera
    aspect: float
    time: float  # of viser, when the camera was sent
    arrived: bool = False  # the page has this camera
    moved: bool = False  # by the user


class Views:
    """Fits the cameras of a page's users; methods may be called in any thread.

    ``connected`` is called with a new user, whose view shows older content until it is fitted.
    """

    def __init__(
        self, server: viser.ViserServer, connected: Callable[[viser.ClientHandle], None]
    ) -> None:
        self._server, self._connected = server, connected
        self._points = EMPTY
        self._views: dict[int, _View] = {}
        self._lock = threading.Lock()
        # Its position is not set: a slow page would return to it after the fit.
        server.initial_camera.fov = FIELD_OF_VIEW
        server.on_client_connect(self._on_connect)
        server.on_client_disconnect(self._on_disconnect)

    def show(self, points: Array) -> None:
        """Fit the views to new content at points (n, 3), unless their users have moved them."""
        if not len(points):
            return
        self._points = points
        for client in self._server.get_clients().values():
            view = self._views.get(client.client_id)
            if view is not None and not view.moved:
                self._fit(client)

    def fit(self, client: viser.ClientHandle, points: Array) -> None:
        """Fit a user's view to points (n, 3)."""
        if len(points):
            self._points = points
        self._fit(client)

    def _on_connect(self, client: viser.ClientHandle) -> None:
        self._fit(client)
        client.camera.on_update(lambda _: self._on_camera(client))
        self._connected(client)

    def _on_disconnect(self, client: viser.ClientHandle) -> None:
        self._views.pop(client.client_id, None)

    def _fit(self, client: viser.ClientHandle) -> None:
        # A client can send any camera; the others' views must be fitted nevertheless.
        with contextlib.suppress(*ERRORS), self._lock, client.atomic():
            aspect = _aspect(client.camera)
            camera = fitted_camera(self._points, aspect)
            client.camera.position = camera.position
            client.camera.look_at = camera.look_at
            view = _View(camera, aspect, client.camera.update_timestamp)
            self._views[client.client_id] = view

    def _on_camera(self, client: viser.ClientHandle) -> None:
        """Fit again if the aspect ratio has changed; note that the user has moved the camera."""
        view = self._views.get(client.client_id)
        camera = client.camera
        # With the old time stamp, the camera does not come from the page yet.
        if view is None or view.moved or camera.update_timestamp == view.time:
            return
        given = view.camera
        near = SAME * float(np.linalg.norm(given.look_at - given.position))
        is_given = all(
            np.abs(now - then).max() < near
            for now, then in ((camera.position, given.position), (camera.look_at, given.look_at))
        )
        if not is_given:
            view.moved = view.arrived
            return
        view.arrived = True
        if abs(_aspect(camera) - view.aspect) > SAME_ASPECT * view.aspect:
            self._fit(client)
