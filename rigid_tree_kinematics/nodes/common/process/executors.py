"""Executors that survive errors in callbacks and undecodable messages.

An error in a callback ends the spinning of rclpy's executors. An error while a message is taken,
which undecodable bytes cause, leaves the entity and its callback group marked as busy forever. A
service whose callback raises sends no reply. Here such errors are logged, and the node continues.
"""

from __future__ import annotations

import inspect
import re
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.service import Service

from rigid_tree_kinematics.nodes.common.process import rclpy_private
from rigid_tree_kinematics.nodes.common.process.plain_node import report_error
from rigid_tree_kinematics.text import plain

# Of get_type_description (REP 2016).
TYPE_HASH = re.compile("RIHS[0-9]{2}_[0-9a-f]{64}")
A_TYPE_HASH = f"RIHS01_{64 * '0'}"


class _Surviving(rclpy_private.HandlerHook):
    """The common part of both executors."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._services: weakref.WeakSet[Service[Any, Any]] = weakref.WeakSet()

    def wrapped(
        self, entity: Any, node: Node, take: Callable[[Any], Any], rest: Sequence[Any]
    ) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        """Return the functions with their errors logged, and services that always reply."""
        if isinstance(entity, Service) and entity not in self._services:
            self._services.add(entity)
            entity.callback = self._answer(entity, node, entity.callback)
        where = _name_of(entity)

        def guarded(work: Callable[..., Any]) -> Callable[..., Any]:
            async def run(*arguments: Any) -> None:
                try:
                    done = work(*arguments)
                    if inspect.isawaitable(done):
                        await done
                except Exception as error:
                    report_error(node, where, error)

            return run

        def taken(entity: Any) -> Any:
            try:
                work = take(entity)
            except Exception as error:
                report_error(node, where, error)
                return None
            # In Humble this is the message, and ``rest`` has the function that handles it.
            return work if rest or work is None else guarded(work)

        return taken, [guarded(work) for work in rest]

    def _answer(
        self, service: Service[Any, Any], node: Node, callback: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return a service's callback that always replies."""

        async def answer(request: Any, response: Any) -> Any:
            if not TYPE_HASH.fullmatch(getattr(request, "type_hash", A_TYPE_HASH)):
                # rcl would log the text unchanged.
                response.failure_reason = f"no type hash, such as {A_TYPE_HASH}"
                return response
            try:
                reply = callback(request, response)
                return await reply if inspect.isawaitable(reply) else reply
            except Exception as error:
                report_error(node, _name_of(service), error)
                return _refusal(service.srv_type.Response(), error)

        async def answer_each(request: Any, response: Any) -> Any:
            for item in request.parameters:
                one = SetParameters.Request(parameters=[item])
                reply = await answer(one, SetParameters.Response())
                response.results.extend(reply.results)
            return response

        return answer_each if service.srv_type is SetParameters else answer


class SurvivingExecutor(_Surviving, SingleThreadedExecutor):
    """A SingleThreadedExecutor."""


class _ReturnsWhenStarted(ThreadPoolExecutor):
    """A thread pool whose ``submit`` returns when a thread has started the task.

    Until then rclpy's executor would submit it again and again, and slow that thread down.
    """

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a task, and wait for its start."""
        started = threading.Event()

        def run() -> Any:
            started.set()
            return task(*arguments, **named)

        future = super().submit(run)
        started.wait()
        return future


class ThreadsFirstExecutor(_Surviving, MultiThreadedExecutor):
    """A MultiThreadedExecutor that ends its threads before it destroys their entities.

    rclpy does it in the other order, and a busy thread raises errors at Ctrl-C.
    """

    def __init__(self, thread_count: int) -> None:
        super().__init__(thread_count)
        rclpy_private.replace_threads(self, _ReturnsWhenStarted(thread_count))

    def shutdown(self, timeout_sec: float | None = None, *, wait_for_threads: bool = True) -> bool:
        """End the threads, then the executor."""
        rclpy_private.shut_down_threads(self, wait_for_threads)
        return super().shutdown(timeout_sec)


def _refusal(response: Any, error: Exception) -> Any:
    """Return a new response with the error in its fields, if it has suitable ones."""
    reason = plain(f"{type(error).__name__}: {error}")
    if hasattr(response, "results"):
        response.results = [SetParametersResult(successful=False, reason=reason)]
    elif hasattr(response, "result"):
        response.result = SetParametersResult(successful=False, reason=reason)
    elif hasattr(response, "message"):
        response.message = reason
    return response


def _name_of(entity: Any) -> str:
    for attribute in ("srv_name", "service_name", "topic_name"):
        name = getattr(entity, attribute, None)
        if name:
            return str(name)
    return type(entity).__name__
