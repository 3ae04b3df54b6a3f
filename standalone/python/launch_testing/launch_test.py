"""The command ``launch_test``: runs one launch test file."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from types import ModuleType

from .junitxml import unittestResultsToXml
from .loader import LoadTestsFromPythonModule
from .print_arguments import print_arguments_of_launch_description
from .test_runner import LaunchTestRunner


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.add_argument("launch_test_file", help="path of the launch test")
    parser.add_argument(
        "launch_arguments", nargs="*", help="values of launch arguments: '<name>:=<value>'"
    )
    parser.add_argument("--package-name", help="package named in the reports")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what each test does")
    parser.add_argument(
        "-s",
        "--show-args",
        "--show-arguments",
        action="store_true",
        help="list the launch arguments and exit",
    )
    parser.add_argument("--junit-xml", dest="xmlpath", help="write xUnit reports to this path")


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Do what the parsed arguments say; return 0 if all tests passed, else 1."""
    if not os.path.isfile(args.launch_test_file):
        parser.error(f"there is no test file '{args.launch_test_file}'")
    path = os.path.abspath(args.launch_test_file)
    stem = os.path.splitext(os.path.basename(path))[0]
    package = args.package_name or stem
    test_runs = LoadTestsFromPythonModule(
        _load_module(package, path), name=f"{package}.{stem}.launch_tests"
    )
    runner = LaunchTestRunner(test_runs, args.launch_arguments, args.verbose)
    runner.validate()
    if args.show_args:
        description, _ = test_runs[0].describe_test(lambda: None)
        print_arguments_of_launch_description(launch_description=description)
        return 0
    results = runner.run()
    if args.xmlpath:
        document = unittestResultsToXml(test_results=results, name=f"{package}.{stem}")
        document.write(args.xmlpath, encoding="utf-8", xml_declaration=True)
    return 0 if all(result.wasSuccessful() for result in results.values()) else 1


def _load_module(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"cannot load '{path}' as a Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Runs the tests of a launch test file.")
    add_arguments(parser)
    args = parser.parse_args()
    try:
        sys.exit(run(parser, args))
    except Exception as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
