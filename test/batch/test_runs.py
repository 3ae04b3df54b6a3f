"""Runs: equal for any number of workers, after kills, and on a cluster that loses workers."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from distributed import Client, LocalCluster

from harness.processes import heed_interrupts
from rigid_tree_kinematics.batch import BatchError, ReachabilityJob, ReachMap, reachability_map
from rigid_tree_kinematics.batch.job import prepared, run_chunk
from rigid_tree_kinematics.description import write_urdf

LONG = 300.0  # s
SETTINGS = {"resolution": 0.1, "directions": 24, "restarts": 2}
WORDS = ("--resolution", "0.1", "--directions", "24", "--restarts", "2", "--workers", "2")


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference") / "panda.zarr"
    reachability_map("panda", folder, workers=1, progress=False, **SETTINGS)
    return folder


def start(folder, *words):
    command = [sys.executable, "-m", "rigid_tree_kinematics.batch", "reachability"]
    command += ["--robot", "panda", "--out", folder, *WORDS, *words]
    return subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )


def chunks(folder):
    return len([path for path in folder.glob("reached/*") if path.name[0] != "."])


def wait_for(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_number_of_workers_does_not_matter(reference, content, tmp_path):
    """Four here; the command's runs below have two."""
    folder = tmp_path / "panda.zarr"
    reachability_map("panda", folder, workers=4, progress=False, **SETTINGS)
    assert content(folder) == content(reference)


def test_a_run_that_is_killed_three_times_ends_equal(reference, content, tmp_path):
    folder, done = tmp_path / "panda.zarr", 0
    for _ in range(3):
        running = start(folder)
        wait_for(lambda known=done: chunks(folder) > known + 1)
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=LONG)
        assert running.returncode == -signal.SIGKILL
        done = chunks(folder)
        with pytest.raises(BatchError, match=f"lacks {27 - done} of 27 chunks"):
            ReachMap.open(folder)
    last = start(folder)
    output, _ = last.communicate(timeout=LONG)
    assert last.returncode == 0
    assert "panda_link8" in output
    finished = content(folder)
    assert {k: v for k, v in finished.items() if not k.endswith(".partial")} == content(reference)


def test_ctrl_c_ends_cleanly(reference, content, tmp_path):
    folder = tmp_path / "panda.zarr"
    running = start(folder)
    wait_for(lambda: chunks(folder) > 1)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=LONG)
    assert running.returncode == 130
    assert "computes what is missing" in errors
    assert "Traceback" not in errors
    assert 1 < chunks(folder) < 27
    assert start(folder).wait(LONG) == 0
    assert content(folder) == content(reference)


def test_a_finished_map_is_not_computed_again(reference, content):
    before = {path: path.stat().st_mtime_ns for path in reference.glob("reached/*.*.*")}
    reachability_map("panda", reference, progress=False, **SETTINGS)
    assert before == {path: path.stat().st_mtime_ns for path in reference.glob("reached/*.*.*")}


def test_folders_of_others_are_left_alone(reference, content, tmp_path):
    before = content(reference)
    with pytest.raises(BatchError, match=r"directions is 25, was 24; restarts is 9, was 2"):
        reachability_map("panda", reference, **SETTINGS | {"directions": 25, "restarts": 9})
    with pytest.raises(BatchError, match="digest"):
        reachability_map("panda", reference, scene="panda_pillars", **SETTINGS)
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(BatchError, match="not a result"):
        reachability_map("panda", tmp_path, **SETTINGS)
    with pytest.raises(BatchError, match="not a result"):
        reachability_map("panda", tmp_path / "thesis.tex", **SETTINGS)
    with pytest.raises(BatchError, match="cannot write"):
        reachability_map("panda", "/proc/map.zarr", **SETTINGS)
    assert content(reference) == before
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_worker_with_another_robot_is_an_error():
    job = ReachabilityJob(robot="panda", collisions=False).identified()
    assert prepared(job).chunk_count > 1
    with pytest.raises(BatchError, match="differs"):
        run_chunk(replace(job, robot="ur5"), 0)


def test_a_robot_file_that_changed_is_another_job(planar_arm, tmp_path):
    file, folder = tmp_path / "arm.urdf", tmp_path / "map.zarr"
    settings = {"resolution": 0.3, "directions": 2, "collisions": False, "progress": False}
    file.write_text(write_urdf(planar_arm))
    reachability_map(file, folder, **settings)
    file.write_text(write_urdf(planar_arm).replace("0.5 0", "0.6 0"))
    with pytest.raises(BatchError, match="digest"):
        reachability_map(file, folder, **settings)


@pytest.fixture
def cluster(tmp_path):
    made = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)
    )
    with made:
        yield made


def test_a_cluster_that_loses_a_worker_ends_equal(cluster, reference, content, tmp_path):
    folder = tmp_path / "panda.zarr"
    with Client(cluster) as client:
        victims = list(client.run(os.getpid).values())

        def kill_one() -> None:
            wait_for(lambda: chunks(folder) > 2)
            os.kill(victims[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        reachability_map("panda", folder, client=client, progress=False, **SETTINGS)
        killer.join()
        assert victims[0] not in client.run(os.getpid).values()
    assert content(folder) == content(reference)


def test_run_continues_without_its_cluster(cluster, reference, content, tmp_path):
    folder = tmp_path / "panda.zarr"

    def close() -> None:
        wait_for(lambda: chunks(folder) > 2)
        cluster.close()

    closer = threading.Thread(target=close)
    closer.start()
    with Client(cluster) as client, pytest.raises(BatchError, match="cluster was closed"):
        reachability_map("panda", folder, client=client, progress=False, **SETTINGS)
    closer.join()
    assert chunks(folder) < 27
    reachability_map("panda", folder, progress=False, **SETTINGS)
    assert content(folder) == content(reference)
