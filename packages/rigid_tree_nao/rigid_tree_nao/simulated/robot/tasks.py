"""Tasks of the simulated robot: motions over many cycles, with reserved resources.

As in ALMotion, a blocking method starts a task. A task waits until its joints are free, and the
call returns when the task is done or killed (Aldebaran, NAOqi documentation, "Motion task").

There are no locks here: callers hold the robot's ``lock``.
"""

from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

# Takes the time since the task began (s); returns whether the task is done.
Step = Callable[[float], bool]


class Task(Future[Any]):
    """A motion, active or waiting for its ``resources``, such as joints.

    When they are free, ``begin`` returns the step, which is called in every cycle from then on,
    first with 0. ``outcome`` is called once at the end; its value is the task's result, and the
    value of the method that started the task. An error of ``begin`` or a step is the task's
    exception. ``is_complete`` is False for a killed task. ``number`` is the id for ALMotion's
    killTask, 0 before the task is on a board.
    """

    def __init__(self, name: str, resources: Collection[str], begin: Callable[[], Step]) -> None:
        super().__init__()
        self.name = name
        self.resources = frozenset(resources)
        self.number = 0
        self.outcome: Callable[[], Any] = lambda: None
        self.is_complete = False
        self._begin = begin
        self._step: Step | None = None
        self._seconds = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the task has its resources and is not done."""
        return self._step is not None and not self.done()

    def advance(self, seconds: float) -> None:
        """Start the task, or advance it by a cycle of ``seconds`` (s); end it if it is done.

        An error in ``begin`` or in a step ends this task only.
        """
        try:
            if self._step is None:
                self._step = self._begin()
            else:
                self._seconds += seconds
            self.is_complete = bool(self._step(self._seconds))
        except Exception as error:
            self.set_exception(error)
        if self.is_complete:
            self.end()

    def end(self) -> None:
        """End the task now; do nothing if it has ended."""
        if not self.done():
            self.set_result(self.outcome())


@dataclass(frozen=True)
class Late:
    """A method whose large libraries are loaded by its first call.

    Call ``load`` first, without the robot's lock, which would block other calls.
    """

    load: Callable[[], Any]
    method: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        """Call the method."""
        return self.method(*arguments)


class TaskBoard:
    """All tasks in the order in which they were added.

    A task runs if no task that was added before it, running or not, needs its resources, so
    no task waits forever.
    """

    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._count = 0

    def add(self, task: Task) -> Task:
        """Add a task with a number, and return it; it starts in the first possible cycle."""
        self._count += 1
        task.number = self._count
        self._tasks.append(task)
        return task

    def step(self, seconds: float) -> None:
        """Advance every task that can run by a cycle of ``seconds`` (s); drop ended ones."""
        self._tasks = [task for task in self._tasks if not task.done()]
        reserved: set[str] = set()
        for task in list(self._tasks):
            if not reserved & task.resources:
                task.advance(seconds)
            reserved |= task.resources
        self._tasks = [task for task in self._tasks if not task.done()]

    def held(self) -> set[str]:
        """Return the resources of all running tasks."""
        running = (task.resources for task in self._tasks if task.is_running)
        return set().union(*running)

    def waiting_for(self, resources: Iterable[str]) -> bool:
        """Return whether a task, running or not, needs any of these resources."""
        wanted = set(resources)
        return any(wanted & task.resources for task in self._tasks)

    def listed(self) -> list[Task]:
        """Return all tasks, running or not, in the order in which they were added."""
        return list(self._tasks)

    def kill(self, condition: Callable[[Task], bool]) -> int:
        """End all tasks that satisfy a condition; return their number."""
        killed = [task for task in self._tasks if condition(task)]
        for task in killed:
            task.end()
        self._tasks = [task for task in self._tasks if not task.done()]
        return len(killed)
