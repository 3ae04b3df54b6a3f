"""Maps and datasets in chunks: ``python -m rigid_tree_batch COMMAND --help``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_batch import (
    BatchError,
    ReachMap,
    base_placement,
    ik_data,
    motion_data,
    reachability_map,
)
from rigid_tree_batch.run import write
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.kinematics.arguments import core_count
from rigid_tree_kinematics.model.transforms import matrix_quaternion, quaternion_matrix, transform
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from distributed import Client

COMMAND = "python -m rigid_tree_batch"
EXAMPLES = f"""examples:
  {COMMAND} reachability --robot panda --resolution 0.05 --out panda.zarr
  {COMMAND} draw panda.zarr --out panda.png
  {COMMAND} base panda.zarr --tasks tasks.csv
  {COMMAND} ik --robot ur5 --count 100000 --out poses
  {COMMAND} motions --robot panda --scene panda_pillars --count 1000 --out motions

Run an interrupted command again to resume it."""
POSE = "x,y,z,qx,qy,qz,qw"
LOCAL = "local"
INTERRUPTED = 130  # exit code of a program that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    chosen = vars(_parser().parse_args(arguments))
    command = chosen.pop("command")
    try:
        command(**chosen)
    except RigidTreeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: run the same command again to resume", file=sys.stderr)
        return INTERRUPTED
    return 0


def _reachability(scheduler: str | None, **settings: Any) -> None:
    begin = time.perf_counter()
    with _cluster(scheduler, settings) as client:
        found = reachability_map(client=client, **settings)
    reached = int((found.index > 0.0).sum())
    print(
        f"{settings['out']}: {found.index.shape} voxels, '{found.body}' of {found.robot} reaches "
        f"{reached:,}; {found.reached.sum():,} orientations; {time.perf_counter() - begin:.1f} s"
    )


def _rows(call: Callable[..., Path], scheduler: str | None, **settings: Any) -> None:
    with _cluster(scheduler, settings) as client:
        print(f"written: {call(client=client, **settings)}")


def _base(map: Path, tasks: Path, out: Path | None, **settings: Any) -> None:
    try:
        rows = np.loadtxt(tasks, delimiter=",", ndmin=2, comments="#")
    except (OSError, ValueError) as error:
        raise BatchError(f"'{tasks}' has no rows of {POSE}: {error}") from error
    if rows.shape[1] != 7:
        raise BatchError(f"'{tasks}': rows are {POSE}, not {rows.shape[1]} numbers")
    poses = [transform(row[:3], quaternion_matrix(row[3:])) for row in rows]
    found = base_placement(ReachMap.open(map), poses, **settings)
    lines = []
    for T, reached, index in zip(found.poses, found.reached, found.index, strict=True):
        numbers = (*T[:3, 3], *matrix_quaternion(T[:3, :3]), index)
        lines.append(",".join(f"{number:.6g}" for number in numbers) + f",{reached}")
    text = "\n".join([f"{POSE},index,reached", *lines])
    if out is None:
        print(f"{text}\n{found.reached[0]} of {len(rows)} tasks are reached from the first")
    else:
        write(out, f"{text}\n".encode())


def _draw(map: Path, out: Path) -> None:
    with needs("matplotlib", "a figure"):
        import matplotlib as mpl
    mpl.use("Agg")
    from rigid_tree_batch.figure import show_reachability

    figure = show_reachability(ReachMap.open(map))
    try:
        figure.savefig(out, dpi=120)
    except (OSError, ValueError) as error:
        raise BatchError(f"cannot draw '{out}': {error}") from error


@contextmanager
def _cluster(scheduler: str | None, settings: dict[str, Any]) -> Iterator[Client | None]:
    """Yield the client of a Dask scheduler or of local processes; None for this process."""
    if scheduler is None:
        yield None
        return
    with needs("distributed", "a Dask cluster"):
        from distributed import Client
    try:
        if scheduler == LOCAL:
            count = settings["workers"] or core_count()
            # Any free port: several runs share a machine.
            address = "127.0.0.1:0"
            client = Client(n_workers=count, threads_per_worker=1, dashboard_address=address)
        else:
            client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise BatchError(f"no Dask scheduler at {scheduler}: {error}") from error
    with client:
        yield client


def _parser() -> argparse.ArgumentParser:
    raw: dict[str, Any] = {
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": EXAMPLES,
    }
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__, **raw)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, call: Any, about: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=about, description=about[0].upper() + about[1:] + ".", **raw
        )
        made.set_defaults(command=call)
        return made

    made = command("reachability", _reachability, "reachability map, as Zarr")
    _add_job(made)
    made.add_argument("--body", help="body of the map; default: the only leaf body")
    made.add_argument("--base", help="reference body; default: the robot's base")
    made.add_argument(
        "--axis", default="z", help="axis of the body that points in the directions; default: z"
    )
    made.add_argument("--resolution", type=float, default=0.05, help="m; default: 0.05")
    made.add_argument("--directions", type=int, default=50, help="default: 50")
    made.add_argument(
        "--rolls", type=int, default=0, help="rotations about each direction; default: 0, any"
    )
    made.add_argument("--restarts", type=int, default=10, help="random restarts; default: 10")
    made.add_argument(
        "--no-collisions", dest="collisions", action="store_false", help="ignore collisions"
    )
    made = command("ik", partial(_rows, ik_data), "poses and all their solutions, as Parquet")
    _add_job(made)
    made.add_argument("--count", type=int, required=True, help="poses")
    made.add_argument("--body", help="body at the poses; default: the only leaf body")
    made.add_argument("--base", help="reference body of the poses; default: the robot's base")
    made.add_argument("--most", type=int, default=16, help="solutions per pose; default: 16")
    made = command("motions", partial(_rows, motion_data), "collision-free motions, as Parquet")
    _add_job(made)
    made.add_argument("--count", type=int, required=True, help="motions")
    made.add_argument("--joints", nargs="+", help="joints that move; default: all")
    made.add_argument("--spacing", type=float, help="maximum distance of a path's points, rad")
    made = command("base", _base, "base poses that reach the most poses of a list")
    made.add_argument("map", type=Path, help="reachability map")
    made.add_argument("--tasks", type=Path, required=True, help=f"CSV file with rows {POSE}")
    made.add_argument("--out", type=Path, help="CSV file to write; default: the screen")
    made.add_argument("--yaws", type=int, default=16, help="rotations of the base; default: 16")
    made.add_argument("--heights", type=float, nargs="+", default=[0.0], help="m; default: 0")
    made.add_argument("--most", type=int, default=10, help="placements; default: 10")
    made = command("draw", _draw, "draw a reachability map")
    made.add_argument("map", type=Path, help="reachability map")
    made.add_argument("--out", type=Path, required=True, help="image file")
    return parser


def _add_job(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of all jobs."""
    parser.add_argument("--robot", required=True, help="bundled name, or .urdf, .xacro, .yaml")
    parser.add_argument("--out", required=True, help="folder of the result")
    parser.add_argument("--scene", help="bundled name or .yaml file")
    parser.add_argument("--seed", type=int, default=0, help="random seed; default: 0")
    parser.add_argument("--workers", type=int, help="threads; default: one per core")
    parser.add_argument(
        "--scheduler", help="Dask scheduler, tcp://host:8786, or local for local processes"
    )


if __name__ == "__main__":
    sys.exit(main())
