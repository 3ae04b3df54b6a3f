"""The entry point of the ``ros2`` command."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from ros2cli.verbs import add_verbs

# Descriptions by command, which is also the name of its module (imported on use).
COMMANDS = {
    "action": "Actions: list them, send a goal",
    "interface": "Messages, services and actions: show a definition",
    "launch": "Run a launch file",
    "node": "Nodes: list them, show one",
    "param": "Parameters: read, describe and set them",
    "run": "Start an executable of a package",
    "service": "Services: list them, call one",
    "topic": "Topics: list, watch and measure them, publish",
}


def main(argv: Sequence[str] | None = None) -> int | str | None:
    """Run one command; return an exit code, or a line for stderr (exit code 1)."""
    words = list(sys.argv[1:] if argv is None else argv)
    args = _parser(words).parse_args(words)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        code: int | str | None = args.run(args)
        return code
    except KeyboardInterrupt:
        return int(signal.SIGINT)
    except BrokenPipeError:
        # The reader has exited (``| head``). Nothing must be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + int(signal.SIGPIPE)
    except RuntimeError as error:
        return str(error)
    except Exception as error:
        if type(error).__name__ == "ExternalShutdownException":
            return int(signal.SIGTERM)
        raise


class _Parser(argparse.ArgumentParser):
    """A parser, also of commands and verbs, whose errors say where the supported ones are."""

    def error(self, message: str) -> NoReturn:
        """Exit with a message."""
        super().error(f"{message}; standalone/README.md lists what is supported without ROS 2")


def _parser(words: list[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="ros2", description="Shows and controls a running ROS 2 system.")
    parser.set_defaults(run=lambda args: parser.print_help())
    commands = parser.add_subparsers(
        title="Commands", metavar="<command> (see `ros2 <command> -h`)"
    )
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, description in COMMANDS.items():
        command = commands.add_parser(name, help=description, description=description)
        command.set_defaults(run=lambda args, command=command: command.print_help())
        if name == chosen:
            module = importlib.import_module(f"ros2cli.{name}")
            if hasattr(module, "VERBS"):
                add_verbs(command, module.VERBS)
            else:
                module.add_arguments(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
