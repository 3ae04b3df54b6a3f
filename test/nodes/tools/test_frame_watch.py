"""frame_watch: an end with success only for frames that were seen moving."""

from rigid_tree_kinematics import load_robot

ROBOT = {"robot": "planar_two_link", "frame_prefix": "flat/"}


def watch(network, **parameters):
    pairs = [f"flat/{parent} flat/{child}" for parent, child in pairs_of("planar_two_link")]
    return network.start(
        "frame_watch", {"frames": pairs, "once": True, "period": 0.1, **parameters}
    )


def pairs_of(robot: str) -> list[tuple[str, str]]:
    tree = load_robot(robot)
    return [(tree.base_name, tree.body_names[0])]


def test_moving_frames_are_a_success(network):
    network.start("tree_state_publisher", ROBOT)
    network.start("joint_state_source", {"robot": "planar_two_link"})
    node = watch(network, timeout=20.0)
    assert node.wait() == 0, node.output
    assert "received and moved" in node.output


def test_resting_frames_are_named(network):
    network.start("tree_state_publisher", ROBOT)
    network.start("joint_state_source", {"robot": "planar_two_link", "mode": "home"})
    network.until(lambda: network.messages, "frames")
    node = watch(network, timeout=8.0)  # discovery alone may take 3 s
    assert node.wait() == 1
    assert "did not move: flat/" in node.output


def test_missing_frames_are_named(network):
    node = watch(network, timeout=0.5)
    assert node.wait() == 1
    assert "not received: flat/" in node.output
    assert "Traceback" not in node.output
