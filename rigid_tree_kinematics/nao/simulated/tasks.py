"""What blocking calls do over many cycles; each books the joints it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

# Takes the seconds since the task began; says whether it is done.
Step = Callable[[float], bool]


class Task:
    """A motion under way or waiting for its joints.

    Args:
        name: the method that asked for it.
        resources: the joints, or other things, that nobody else may use meanwhile.
        begin: called when they are free; returns the step, called every cycle from then on.
    """

    def __init__(self, name: str, resources: Collection[str], begin: Callable[[], Step]) -> None:
        self.name = name
        self.resources = frozenset(resources)
        self.number = 0
        self.outcome: Callable[[], Any] = lambda: None  # asked for the result, at the end
        self.is_done = False
        self._begin = begin
        self._step: Step | None = None
        self._seconds = 0.0
        self._listeners: list[Callable[[Any], None]] = []

    @property
    def is_running(self) -> bool:
        """Whether it got its joints and is not done."""
        return self._step is not None and not self.is_done

    def when_done(self, listener: Callable[[Any], None]) -> None:
        """Have the result told when the task is done or killed; at once if it is already."""
        if self.is_done:
            listener(self.outcome())
        else:
            self._listeners.append(listener)

    def advance(self, seconds: float) -> None:
        """Do a cycle's work."""
        if self._step is None:
            self._step = self._begin()
        else:
            self._seconds += seconds
        if self._step(self._seconds):
            self.end()

    def end(self) -> None:
        """Be done, now."""
        if not self.is_done:
            self.is_done = True
            for listener in self._listeners:
                listener(self.outcome())


class TaskBoard:
    """All tasks, in the order they came: a later one waits for the joints of an earlier one."""

    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._count = 0

    def add(self, task: Task) -> Task:
        """Enter a task; it begins in the next cycle where its joints are free."""
        self._count += 1
        task.number = self._count
        self._tasks.append(task)
        return task

    def step(self, seconds: float) -> None:
        """Let every task whose joints are free do a cycle's work."""
        self._tasks = [task for task in self._tasks if not task.is_done]
        booked: set[str] = set()
        for task in list(self._tasks):
            if not booked & task.resources:
                task.advance(seconds)
            booked |= task.resources
        self._tasks = [task for task in self._tasks if not task.is_done]

    def held(self) -> set[str]:
        """Return what running tasks have booked."""
        running = (task.resources for task in self._tasks if task.is_running)
        return set().union(*running)

    def waiting_for(self, resources: Iterable[str]) -> bool:
        """Return whether any of these is booked."""
        wanted = set(resources)
        return any(wanted & task.resources for task in self._tasks)

    def listed(self) -> list[Task]:
        """Return all tasks, running and waiting."""
        return list(self._tasks)

    def kill(self, condition: Callable[[Task], bool]) -> int:
        """End all tasks that meet the condition; return how many."""
        killed = [task for task in self._tasks if condition(task)]
        for task in killed:
            task.end()
        self._tasks = [task for task in self._tasks if not task.is_done]
        return len(killed)
