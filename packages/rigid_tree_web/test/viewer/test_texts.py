"""External texts on web_viewer's page are shown and never executed."""

import re
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rigid_tree_interfaces.srv import PlanMotion
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from harness.page.projection import pixels
from harness.probe import LATCHED

PAYLOADS = [
    "<script>top.hacked=1</script>",
    "<img src=x onerror=top.hacked=2>",
    "<svg onload=top.hacked=3>",
    """<iframe srcdoc="<script>top.hacked=4</script>"></iframe>""",
    """"'><input autofocus onfocus=top.hacked=5>""",
    "<details open ontoggle=top.hacked=6>",
    "<math><mtext><table><mglyph><style><img src=x onerror=top.hacked=7>",
    """![a](x"onerror="top.hacked=8) [b](javascript:top.hacked=8) <javascript:top.hacked=8>""",
    """{(top.hacked=9)}<a href="javascript:top.hacked=9">c</a>"""
    """<a title="\n\n<img src=y onerror=top.hacked=9>">""",
    """<object data="data:text/html,<script>top.hacked=10</script>">"""
    """<!--><body onload=top.hacked=10>""",
]
COUNT, SIZE = len(PAYLOADS), 0.06  # m
WINDOW = {"width": 1400, "height": 640}
# What the payloads would have made, in whole or in part.
TRACES = (
    "iframe, object, math, details, img:not([src^='data:image/svg+xml']), input[autofocus], "
    "a[href^=javascript], [onload]"
)


# Where a robot's boxes are, m in the world: in a row across the first view.
PLACES = np.arange(COUNT)[:, None] * [0.073, 0.068, 0.0] + [0.0, 0.0, 0.4]


def name(number, prefix=""):
    return f"{prefix} {' '.join(PAYLOADS[number].split())}"


def hostile_robot():
    """Return a URDF with a payload in each name, and a row of boxes to click."""
    parts = ["<link name='base'/>"]
    for number in range(COUNT):
        link, joint = quoteattr(name(number, "link")), quoteattr(name(number, "joint"))
        at = " ".join(f"{x:.4f}" for x in PLACES[number])
        parts.append(
            f"<link name={link}><visual><origin xyz='{at}'/>"
            f"<geometry><box size='{SIZE} {SIZE} {SIZE}'/></geometry></visual></link>"
            # A plot has a legend for up to eight joints.
            f"<joint name={joint} type='{'continuous' if number > 1 else 'fixed'}'>"
            f"<parent link='base'/><child link={link}/><axis xyz='0 0 1'/></joint>"
        )
    return f"<robot name={quoteattr(name(3, 'robot'))}>{''.join(parts)}</robot>"


@pytest.fixture(scope="module")
def page(browser, shared_network):
    network = shared_network
    viewer = network.start("web_viewer", {"port": 0})
    address = network.until(
        lambda: re.search(r"http://localhost:\d+", viewer.output), "the page's address"
    )
    made = browser.new_page(viewport=WINDOW)
    made.requested, made.complaints = [], []
    made.on("request", lambda request: made.requested.append(request.url))
    made.on("console", lambda message: made.complaints.append(message.text))
    made.goto(address.group())
    made.address, made.network, made.viewer = address.group(), network, viewer
    robot = hostile_robot()
    network.publisher(String, "robot_description", LATCHED).publish(String(data=robot))
    network.log_line(viewer, "showing robot")
    shown(made, name(2, "joint"), "a slider")
    yield made
    made.close()


def shown(page, words, what):
    """Wait until the page shows words, and check that nothing of them was obeyed."""
    wanted = " ".join(words.split())

    def met():
        page.wait_for_timeout(50)
        page.network.spin_for(0.02)
        return wanted in " ".join(page.inner_text("body").split())

    page.network.until(met, what)
    harmless(page)


def harmless(page):
    page.wait_for_timeout(100)
    assert page.evaluate("window.hacked") is None
    assert page.locator(TRACES).evaluate_all("all => all.map(e => e.outerHTML)") == []
    own = (page.address, "data:", "blob:")
    assert not [url for url in page.requested if not url.startswith(own)]
    assert not [url for url in page.requested if re.search(r"/[xy]\W?$", url)]


def test_captions(page):
    publisher = page.network.publisher(String, "caption", LATCHED)
    for number, payload in enumerate(PAYLOADS):
        publisher.publish(String(data=f"# Step {number}\n\n{payload}\n\n**good** `a<b` & *so* on"))
        shown(page, f"Step {number}", "a caption")
        assert page.locator("h1", has_text=f"Step {number}").count() == 1
        assert page.locator("strong", has_text="good").count() == 1
        # Inside a line, and as all there is.
        publisher.publish(String(data=f"line {number} {payload} {payload}\n- {payload}"))
        shown(page, f"line {number}", "a caption")
    publisher.publish(String(data="![" * 50_000))
    shown(page, "![" * 10, "a long caption")
    publisher.publish(String(data=""))


def test_names_in_the_panel_and_in_the_scene(page):
    for number in range(2, COUNT):
        shown(page, name(number, "joint"), "a slider")
    page.get_by_text("Show", exact=True).click()
    page.get_by_label("Names").check()
    page.get_by_text("Motion", exact=True).click()
    page.get_by_label("Plot").check()
    page.network.until(lambda: page.locator(".u-legend").count(), "a legend")
    harmless(page)
    page.get_by_label("Plot").uncheck()
    page.get_by_text("Motion", exact=True).click()
    page.get_by_text("Show", exact=True).click()


def test_clicked_bodies(page):
    for number in range(COUNT):
        link = name(number, "link")

        def hit(number=number, wanted=f"{link} at ("):
            """A click before the first picture hits nothing."""
            page.mouse.click(*pixels(page, PLACES[number])[0])
            for _ in range(20):  # a second click would hide what is shown
                page.wait_for_timeout(50)
                if wanted in " ".join(page.inner_text("body").split()):
                    return True
            return False

        page.network.until(hit, f"body {number}")
        shown(page, f"joint {name(number, 'joint')}", f"joint {number}")


def test_diagnostics(page):
    publisher = page.network.publisher(DiagnosticArray, "/diagnostics", 10)
    page.network.until(publisher.get_subscription_count, "the page's subscription")
    sent = [
        DiagnosticStatus(name=f"/driver: {payload}", message=f"says {payload}")
        for payload in PAYLOADS
    ]
    publisher.publish(DiagnosticArray(status=sent))
    for payload in PAYLOADS:
        shown(page, f"says {payload}", "a light")


def test_error_texts(page):
    sent = []

    def answer(_, response):
        response.reply.message = sent[-1]
        return response

    page.network.node.create_service(PlanMotion, "plan_motion", answer)
    page.get_by_label("Drag a target").check()
    page.get_by_label("Body", exact=True).click()
    shown(page, name(4, "link"), "a choice of bodies")
    page.keyboard.press("Escape")
    for payload in PAYLOADS:
        sent.append(f"no {payload}")
        page.get_by_text("Plan and execute").click()
        shown(page, sent[-1], "the planner's answer")


def test_markers(page):
    publisher = page.network.publisher(MarkerArray, "trace", 10)
    page.network.until(publisher.get_subscription_count, "the page's subscription")
    for number, payload in enumerate(PAYLOADS):
        marker = Marker(type=Marker.TEXT_VIEW_FACING, id=number, ns=payload, text=payload)
        marker.header.frame_id = payload
        publisher.publish(MarkerArray(markers=[marker]))
        page.network.spin_for(0.1)
    page.network.spin_for(1.0)
    harmless(page)
    assert not [words for words in page.complaints if "Content Security Policy" in words]
    assert "Traceback" not in page.viewer.output
