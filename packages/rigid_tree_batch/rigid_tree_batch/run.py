"""Running a job: chunks in threads or on a Dask cluster, written as they are done."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import closing, contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from rigid_tree_batch.job import (
    BatchError,
    Files,
    Job,
    Work,
    prepared,
    require_whole,
    run_chunk,
)
from rigid_tree_kinematics.kinematics.arguments import core_count

if TYPE_CHECKING:
    from distributed import Client

AHEAD = 2  # submitted chunks per worker, including the current one


def run(
    job: Job,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    client: Client | None = None,
    progress: bool = True,
) -> Path:
    """Compute the chunks of a job that a folder lacks; return the folder.

    See ``reachability_map`` for the arguments and errors.
    """
    if workers is not None:
        require_whole("workers", workers)
    job = job.identified()
    work = prepared(job)
    folder = Path(out)
    _begin(folder, work)
    missing = [k for k in range(work.chunk_count) if not (folder / work.last_file(k)).exists()]
    done = work.chunk_count - len(missing)
    bar = tqdm(
        total=work.chunk_count, initial=done, unit="chunk", desc=folder.name, disable=not progress
    )
    with (
        bar,
        _executor(workers, client) as (executor, capacity),
        closing(_results(executor, job, missing, capacity)) as results,
    ):
        for files in results:
            for name, content in files.items():
                write(folder / name, content)
            bar.update()
    return folder


def described(job: Job) -> dict[str, Any]:
    """Return a job as its metadata, as written to its folder."""
    return {"kind": type(job).__name__} | asdict(job)


def write(path: Path, content: bytes) -> None:
    """Write a file atomically, even if the power fails."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise BatchError(f"cannot write to '{path.parent}': {error}") from error


def _begin(folder: Path, work: Work) -> None:
    """Write the initial files; raises BatchError if the folder belongs to something else."""
    header = work.header()
    description = folder / work.description_file
    if description.is_file():
        _compare(folder, description.read_bytes(), header[work.description_file])
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BatchError(f"'{folder}' exists and is not a result of this kind: choose another")
    for name in (work.description_file, *header):
        write(folder / name, header[name])


def _compare(folder: Path, found: bytes, wanted: bytes) -> None:
    """Raise BatchError, with the differences, if a folder belongs to another job."""
    if found == wanted:
        return
    try:
        was, now = json.loads(found)["job"], json.loads(wanted)["job"]
        keys = sorted(key for key in {*was, *now} if was.get(key) != now.get(key))
        changes = [f"{key} is {now.get(key)!r}, was {was.get(key)!r}" for key in keys]
    except (ValueError, TypeError, KeyError, AttributeError):
        changes = ["its metadata cannot be read"]
    reason = f"'{folder}' belongs to another job ({'; '.join(changes)})"
    raise BatchError(f"{reason}: choose another folder, or delete this one")


@contextmanager
def _executor(
    workers: int | None, client: Client | None
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield the executor of chunks, and a function that returns its number of workers."""
    if client is None:
        count = workers or core_count()
        with ThreadPoolExecutor(count, thread_name_prefix="batch") as executor:
            yield executor, lambda: count
    else:
        # A chunk whose worker is lost is computed by another one.
        with client.get_executor(pure=False, retries=2) as executor:
            yield executor, lambda: max(1, sum(client.nthreads().values()))


def _results(
    executor: Executor, job: Job, chunks: list[int], capacity: Callable[[], int]
) -> Generator[Files, None, None]:
    """Yield the files of chunks as they complete; few chunks are submitted ahead."""
    ahead = iter(chunks)
    waiting: set[Future[Files]] = set()
    try:
        while True:
            room = AHEAD * capacity() - len(waiting)
            waiting |= {executor.submit(run_chunk, job, k) for k in islice(ahead, max(0, room))}
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except CancelledError:
        raise BatchError("the Dask cluster was closed: repeat the command") from None
    finally:
        for future in waiting:
            future.cancel()
