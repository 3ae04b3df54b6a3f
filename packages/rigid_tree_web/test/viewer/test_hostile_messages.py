"""No message stops the page, leaves a request unanswered, or forges the log."""

from harness.hostile import assert_survives


def test_nothing_ends_or_silences_the_page(network):
    network.start("tree_state_publisher", {"robot": "panda"})
    assert_survives(network, "web_viewer", network.start("web_viewer", {"port": 0}))
