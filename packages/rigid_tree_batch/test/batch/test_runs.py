"""Runs: equal for any number of workers, after kills, and on a cluster that loses workers."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from batch.cases import content, planar_arm
from distributed import Client, LocalCluster

from harness.cases import case
from harness.processes import restore_sigint, wait_until
from rigid_tree_batch import BatchError, ReachabilityJob, ReachMap, reachability_map
from rigid_tree_batch.job import prepared, run_chunk
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
    command = [sys.executable, "-m", "rigid_tree_batch", "reachability"]
    command += ["--robot", "panda", "--out", folder, *WORDS, *words]
    return subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_sigint,
    )


def chunks(folder):
    return len([path for path in folder.glob("reached/*") if path.name[0] != "."])


def wait_for_chunks(folder, count):
    wait_until(lambda: chunks(folder) >= count, f"{count} chunks", LONG)


def test_the_number_of_workers_does_not_matter(reference, tmp_path):
    """Four here; the command's runs below have two."""
    folder = tmp_path / "panda.zarr"
    reachability_map("panda", folder, workers=4, progress=False, **SETTINGS)
    assert content(folder) == content(reference)


def test_a_run_that_is_killed_three_times_ends_equal(reference, tmp_path):
    folder, done = tmp_path / "panda.zarr", 0
    for _ in range(3):
        running = start(folder)
        wait_for_chunks(folder, done + 2)
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


def test_ctrl_c_ends_cleanly(reference, tmp_path):
    folder = tmp_path / "panda.zarr"
    running = start(folder)
    wait_for_chunks(folder, 2)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=LONG)
    assert running.returncode == 130
    assert "run the same command again to resume" in errors
    assert "Traceback" not in errors
    assert 1 < chunks(folder) < 27
    assert start(folder).wait(LONG) == 0
    assert content(folder) == content(reference)


def test_a_finished_map_is_not_computed_again(reference):
    def stamps():
        return {path: path.stat().st_mtime_ns for path in reference.glob("reached/*.*.*")}

    before = stamps()
    reachability_map("panda", reference, progress=False, **SETTINGS)
    assert stamps() == before


def test_folders_of_others_are_left_alone(reference, tmp_path):
    before = content(reference)
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("years of work")
    changed = SETTINGS | {"directions": 25, "restarts": 9}
    pillars = SETTINGS | {"scene": "panda_pillars"}
    for folder, settings, words in (
        (reference, changed, r"directions is 25, was 24; restarts is 9, was 2"),
        (reference, pillars, "digest"),
        (tmp_path, SETTINGS, "not a result"),
        (thesis, SETTINGS, "not a result"),
        ("/proc/map.zarr", SETTINGS, "cannot write"),
    ):
        with case(folder), pytest.raises(BatchError, match=words):
            reachability_map("panda", folder, **settings)
    assert content(reference) == before
    assert thesis.read_text() == "years of work"


def test_a_worker_with_another_robot_is_an_error():
    job = ReachabilityJob(robot="panda", collisions=False).identified()
    assert prepared(job).chunk_count > 1
    with pytest.raises(BatchError, match="differs"):
        run_chunk(replace(job, robot="ur5"), 0)


def test_a_robot_file_that_changed_is_another_job(tmp_path):
    file, folder, text = tmp_path / "arm.urdf", tmp_path / "map.zarr", write_urdf(planar_arm())
    settings = {"resolution": 0.3, "directions": 2, "collisions": False, "progress": False}
    file.write_text(text)
    reachability_map(file, folder, **settings)
    file.write_text(text.replace("0.5 0", "0.6 0"))
    with pytest.raises(BatchError, match="digest"):
        reachability_map(file, folder, **settings)


@pytest.fixture
def cluster(tmp_path):
    made = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        local_directory=str(tmp_path),
    )
    with made:
        yield made


def test_a_cluster_that_loses_a_worker_ends_equal(cluster, reference, tmp_path):
    folder = tmp_path / "panda.zarr"
    with Client(cluster) as client, ThreadPoolExecutor(1) as beside:
        victim, *_ = client.run(os.getpid).values()
        waiting = beside.submit(wait_for_chunks, folder, 3)
        waiting.add_done_callback(lambda _: os.kill(victim, signal.SIGKILL))
        reachability_map("panda", folder, client=client, progress=False, **SETTINGS)
        waiting.result()
        assert victim not in client.run(os.getpid).values()
    assert content(folder) == content(reference)


def test_run_continues_without_its_cluster(cluster, reference, tmp_path):
    folder = tmp_path / "panda.zarr"
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(wait_for_chunks, folder, 3)
        waiting.add_done_callback(lambda _: cluster.close())
        with Client(cluster) as client, pytest.raises(BatchError, match="cluster was closed"):
            reachability_map("panda", folder, client=client, progress=False, **SETTINGS)
        waiting.result()
    assert chunks(folder) < 27
    reachability_map("panda", folder, progress=False, **SETTINGS)
    assert content(folder) == content(reference)
