"""Runs the code blocks of Markdown pages and notebooks from top to bottom.

Blocks of ``python`` and ``bash`` are run, ``yaml`` is parsed. ``text`` right after a Python block
is its output, where ``...`` stands for anything; other ``text`` is ignored. A block with
``no-test: reason`` is not run. The Python blocks of a page share one interpreter. Programs that do
not end, such as launch files, run until a later block starts another one.
"""

import importlib.util
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from harness.probe import Probe
from harness.processes import Process, wait_until
from harness.start.domains import Domain

ROOT = Path(__file__).parents[2]
HAS_QI = importlib.util.find_spec("qi") is not None  # libqi; not for Python 3.13
LANGUAGES = ("python", "bash", "yaml", "text")
NO_TEST = "no-test:"
LONGEST = 300.0  # s, of one command on a busy machine
STARTING = 40.0  # s for nodes to start, while failing commands are repeated
SETTLED = 1.0  # s without another node after which programs with output are considered started
WITHOUT_NODES = 10.0  # s after which a program without nodes is considered started
SIMULATED_NAO = "simulated NAO"  # the first words of a program without nodes, once it is ready
LASTING = re.compile(
    r"(\. \S+ && )?ros2 (launch|run) (?!.*(once:=true|move_robot|my_arm wave|--show-args))"
)
WATCHING = re.compile(r"ros2 topic (echo|hz) (?!.*--once)")
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)``` *$", re.M | re.S
)

NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.])")
TOLERANCE = 2e-3  # of numbers in outputs

# Runs blocks from JSON lines and answers each with a line.
INTERPRETER = """
import contextlib, io, json, os, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    block = json.loads(line)
    printed = io.StringIO()
    try:
        code = compile("\\n" * block["line"] + block["text"], block["page"], "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        answer = ""
    except BaseException:
        answer = traceback.format_exc()
    sys.stdout.flush()
    os.write(int(sys.argv[1]), (json.dumps([answer, printed.getvalue()]) + "\\n").encode())
os._exit(0)  # a block's threads can run forever
"""


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    page: Path
    line: int  # of the fence; in a notebook the number of the cell
    language: str
    reason: str  # why it is not run; empty if it is
    text: str
    output: str = "..."  # that the page shows

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """Return the code blocks of a page; AssertionError for an invalid fence."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = enumerate(json.loads(text)["cells"], start=1)
        code = [(k, cell) for k, cell in cells if cell["cell_type"] == "code"]
        return [Block(page, k, "python", "", "".join(cell["source"])) for k, cell in code]
    return [block for match in FENCE.finditer(text) if (block := _block(page, text, match))]


def _block(page: Path, text: str, match: re.Match[str]) -> Block | None:
    line = text.count("\n", 0, match.start()) + 1
    language, _, rest = match["info"].strip().partition(" ")
    if language.startswith("{"):  # a directive of MyST
        return None
    assert language in LANGUAGES, f"{page.name}:{line}: '{language}' is not one of {LANGUAGES}"
    why, _, reason = rest.partition(NO_TEST)
    assert not why, f"{page.name}:{line}: unknown text '{why}'"
    assert reason.strip() or not rest, f"{page.name}:{line}: no-test needs a reason"
    after = FENCE.match(text, match.end() + 2)  # beyond an empty line
    shows = language == "python" and after and after["info"] == "text"
    output = after["text"] if after and shows else "..."
    return Block(page, line, language, reason.strip(), match["text"], output)


def is_output(shown: str, printed: str) -> bool:
    """Return whether a shown output is the printed one: its numbers nearly, its gaps anything."""
    parts = NUMBER.split(shown.strip())
    words = [
        r"\s*".join(re.escape(word).replace(r"\.\.\.", ".*") for word in part.split())
        for part in parts
    ]
    found = re.fullmatch(rf"\s*({NUMBER.pattern})\s*".join(words), printed.strip(), re.S)
    if found is None:
        return False
    pairs = zip(NUMBER.findall(shown), found.groups(), strict=False)
    return all(math.isclose(float(a), float(b), abs_tol=TOLERANCE) for a, b in pairs)


def pages() -> list[Path]:
    """Return the pages whose blocks are run."""
    manual = [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "reference"]
    others = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "examples").glob("*.ipynb")]
    return [*others, *sorted(manual)]


def needs_ros(page: Path) -> bool:
    """Return whether a page's blocks use ROS."""
    return any("ros2 " in block.text or "rclpy" in block.text for block in blocks_of(page))


def follow_page(page: Path, folder: Path) -> None:
    """Run the blocks of a page; AssertionError for a block that fails."""
    reader = Reader(folder)
    try:
        for block in blocks_of(page):
            if not block.reason and (HAS_QI or "nao" not in block.text):
                reader.follow(block)
    finally:
        reader.close()


def press_ctrl_c(program: Process) -> int:
    """Interrupt a program and its children, as a terminal does; return the exit code."""
    if program.is_running:
        os.killpg(program.pid, signal.SIGINT)
    return program.wait()


class Reader:
    """Runs the blocks of a page in its own folder and ROS domain."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for path in ROOT.iterdir():  # the clone's content; new files stay in the folder
            (folder / path.name).symlink_to(path)
        self._domain = Domain()
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._environment = {
            **os.environ,
            **self._domain.environment,
            "MPLBACKEND": "Agg",
            "PYTHONPATH": os.pathsep.join(paths),
        }
        self._programs: list[Process] = []
        self._up: list[Process] = []  # those that have started
        self._logs = 0
        self._started = -STARTING  # when the last program was
        self._python: subprocess.Popen[str] | None = None

    @cached_property
    def _probe(self) -> Probe:
        return Probe(self._domain.number)

    def close(self) -> None:
        """Stop everything that still runs."""
        try:
            if self._python is not None:
                self._python.kill()
                self._python.wait()
                self._answers.close()
            self._end_programs()
        finally:
            for program in self._programs:
                program.kill()
            if "_probe" in vars(self):
                self._probe.close()
            self._domain.close()

    def follow(self, block: Block) -> None:
        """Run a block; AssertionError if it fails."""
        if block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.language == "python":
            self._run_python(block)
        elif block.language == "bash":
            commands = list(commands_of(block.text))
            if any(LASTING.match(command) for command in commands):
                self._end_programs()
            for command in commands:
                self._run_command(block, command)

    def _run_python(self, block: Block) -> None:
        self._wait_for_programs()
        if self._python is None:
            answers, answering = os.pipe()
            self._python = subprocess.Popen(
                [sys.executable, "-c", INTERPRETER, str(answering)],
                stdin=subprocess.PIPE,
                text=True,
                pass_fds=[answering],
                cwd=self._folder,
                env=self._environment,
            )
            os.close(answering)
            self._answers = os.fdopen(answers)
        assert self._python.stdin is not None
        sent = {"page": block.page.name, "line": block.line, "text": block.text}
        self._python.stdin.write(json.dumps(sent) + "\n")
        self._python.stdin.flush()
        answer = self._answers.readline()
        assert answer, f"{block.place}: the interpreter ended"
        error, printed = json.loads(answer)
        assert not error, f"{block.place}: {error}"
        shown = block.output
        assert is_output(shown, printed), f"{block.place} shows\n{shown}and prints\n{printed}"

    def _run_command(self, block: Block, command: str) -> None:
        if LASTING.match(command):
            self._programs.append(self._launch(command))
            self._started = time.monotonic()
            return
        if WATCHING.match(command):
            watch = self._launch(command)
            wait_until(lambda: watch.output, f"{block.place}: output of {command}")
            press_ctrl_c(watch)
            return
        while True:
            running = self._launch(command)
            if running.wait(LONGEST) == 0:
                if "ros2 " in command:  # it has found what it needs
                    self._up = [*self._programs]
                return
            still_starting = time.monotonic() < self._started + STARTING
            assert still_starting, f"{block.place}: {command}\n{running.output}\n{self._report()}"

    def _launch(self, command: str) -> Process:
        self._logs += 1
        log = self._folder / f"log_{self._logs}.txt"
        # In its own process group, like in a terminal.
        words = ["setsid", "bash", "-c", f"cd {shlex.quote(str(self._folder))}\n{command}"]
        return Process(words, log, self._environment)

    def _end_programs(self) -> None:
        """Interrupt all programs once they have started; they must exit cleanly."""
        self._wait_for_programs()
        for program in self._programs:
            code = press_ctrl_c(program)
            assert code in (0, 130, -signal.SIGINT), f"ended with {code}: {program.output}"
        self._programs.clear()

    def _wait_for_programs(self) -> None:
        """Wait once until the programs' nodes are running, or for WITHOUT_NODES."""
        if self._up == self._programs:
            return
        self._up = [*self._programs]
        seen, since = {self._probe.node.get_name()}, time.monotonic()

        def is_up() -> bool:
            nonlocal seen, since
            now = time.monotonic()
            if (names := {*self._probe.node.get_node_names()}) != seen:
                seen, since = names, now
            outputs = [program.output for program in self._up]
            are_there = len(seen) > 1 and now > since + SETTLED and all(outputs)
            if all(output.startswith(SIMULATED_NAO) for output in outputs):
                return True
            running = any(program.is_running for program in self._up)
            return are_there or now > self._started + WITHOUT_NODES or not running

        wait_until(is_up, f"nodes of the programs\n{self._report()}")

    def _report(self) -> str:
        return "\n".join(program.output[-3000:] for program in self._programs)


def commands_of(text: str) -> Iterator[str]:
    """Yield the commands of a shell block, which can span several lines."""
    command = ""
    for line in text.splitlines():
        command = f"{command}\n{line}" if command else line
        try:
            words = shlex.split(command, comments=True)
        except ValueError:  # an open quote
            continue
        if command.endswith("\\"):
            continue
        if words:
            yield command
        command = ""
    assert not command, f"not a whole command: {command}"
