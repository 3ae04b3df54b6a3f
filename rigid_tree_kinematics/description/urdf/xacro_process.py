"""The process that expands one xacro file, with limited time and memory.

It reads a JSON object from standard input (path, arguments, packages, package_paths, seconds,
bytes) and writes one to standard output: the text and the names of the files' arguments, or the
error with its source and line.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from rigid_tree_kinematics.description.meshes import find_package
from rigid_tree_kinematics.description.urdf.element import decoded_xml, parse_xml
from rigid_tree_kinematics.errors import DescriptionError

# $(arg name), xacro.arg('name') and <xacro:arg name="name">.
ARGUMENT = re.compile(
    r"""(?:\$\(arg\s+|\bxacro\.arg\(\s*['"]|<xacro:arg\b[^>]*?\bname\s*=\s*['"])([\w/.-]+)"""
)
# xacro's messages about an argument without a value.
MISSING = re.compile(
    r"Undefined substitution argument (\S+)|'(.+)'\s+when evaluating expression '.*xacro\.arg\("
)


def expand(request: dict[str, Any], known: set[str]) -> str:
    """Return the URDF text of a request's xacro file; raises DescriptionError.

    The names of the arguments in it and in the included files are added to ``known``.
    """
    import xacro

    path, arguments = request["path"], request["arguments"]
    file = Path(path)
    _patch_lookups(xacro, file, request["packages"], request["package_paths"], known)
    try:
        return str(xacro.process_file(path, mappings=arguments).toprettyxml(indent="  "))
    except DescriptionError:
        raise
    except RecursionError:
        raise DescriptionError("xacro: infinite recursion", path) from None
    except Exception as error:  # expressions in the file can raise any exception
        raise DescriptionError(_message_of(xacro, error, file), path) from error


def _patch_lookups(
    xacro: Any, file: Path, packages: dict[str, str], package_paths: list[str], known: set[str]
) -> None:
    """Patch xacro to find packages without ROS and to parse files with ``parse_xml``."""
    from xacro import substitution_args

    parse = xacro.parse

    def safe_parse(text: Any, filename: str | None = None) -> Any:
        if text is None and filename is not None:
            try:
                data = Path(filename).read_bytes()
            except OSError:
                return parse(text, filename)  # xacro reports it; includes can be optional
            parse_xml(data, filename)
            text = decoded_xml(data)
            known.update(ARGUMENT.findall(text))
        return parse(text, filename)

    def find_folder(package: str) -> str:
        return packages.get(package) or str(find_package(package, file.parent, package_paths))

    xacro.parse = safe_parse
    substitution_args._eval_find = find_folder
    substitution_args._eval_dict["find"] = find_folder


def _message_of(xacro: Any, error: Exception, file: Path) -> str:
    """Return xacro's message with the included file in which it stopped."""
    text = str(error) or type(error).__name__
    if isinstance(cause := getattr(error, "exc", None), DescriptionError):
        text = str(cause)  # of find_folder; xacro writes its class before it, and it twice
    if isinstance(error, MemoryError) or isinstance(error.__context__, MemoryError):
        text = "an expression or a macro needs too much memory"
    if missing := MISSING.match(text):
        name = missing[1] or missing[2]
        text = (
            f"the argument '{name}' has no value. Give one: load_robot(path, xacro_arguments="
            f'{{"{name}": "..."}}), read_xacro_file(path, {{"{name}": "..."}}), or '
            f'xacro_args:="{name}:=..." in launch files and nodes'
        )
    included = [str(name) for name in (xacro.filestack or []) if name and str(name) != str(file)]
    where = f" (in {included[-1]})" if included else ""
    return f"xacro cannot expand the file: {text}{where}"


def limit(seconds: int, further_bytes: int) -> None:
    """Limit processor time and memory: Windows can limit neither, macOS only the time."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        # In addition to the imported libraries, whose size grows with the number of cores.
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + further_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """Run the process."""
    request = json.load(sys.stdin)
    limit(request["seconds"], request["bytes"])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of xacro and of the file goes to stderr
    known: set[str] = set()
    try:
        answer: dict[str, Any] = {"text": expand(request, known), "known": sorted(known)}
    except DescriptionError as error:
        answer = {"error": str(error), "source": error.source, "line": error.line}
    json.dump(answer, answers)
    answers.close()


if __name__ == "__main__":
    main()
