"""The position of world points in a page's view, as computed by the page."""

from typing import Any

import numpy as np

from rigid_tree_kinematics.model.transforms import quaternion_matrix

CAMERA = """() => {
  const {camera, canvas} = window.__viserMutable;
  camera.updateMatrixWorld();
  const box = canvas.getBoundingClientRect();
  return {
    view: camera.matrixWorldInverse.elements,
    projection: camera.projectionMatrix.elements,
    canvas: [box.x, box.y, box.width, box.height],
    root: window.__viserSceneTree.getState()[""].wxyz,
  };
}"""


def pixels(page: Any, points: Any) -> np.ndarray:
    """Return the pixels (n, 2) of points (n, 3) of the world in the browser's window."""
    seen = page.evaluate(CAMERA)
    view, projection = (np.reshape(seen[key], (4, 4)).T for key in ("view", "projection"))
    w, x, y, z = seen["root"]  # three.js' y is up, the world's z is
    points = np.atleast_2d(points) @ quaternion_matrix([x, y, z, w])[:3, :3].T
    shown = np.column_stack((points, np.ones(len(points)))) @ (projection @ view).T
    x, y = (shown[:, :2] / shown[:, 3:]).T
    left, top, width, height = seen["canvas"]
    return np.column_stack((left + 0.5 * (1 + x) * width, top + 0.5 * (1 - y) * height))


def canvas(page: Any) -> np.ndarray:
    """Return the canvas of the scene: left, top, width and height in pixels."""
    return np.array(page.evaluate(CAMERA)["canvas"])
