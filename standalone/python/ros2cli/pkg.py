"""``ros2 pkg``."""

from __future__ import annotations

import argparse

from ament_index_python import get_packages_with_prefixes

from ros2cli.packages import executables, package_prefix
from ros2cli.verbs import add_verb, verb_group


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    listing = add_verb(group, "executables", "Print what `ros2 run` can start", list_executables)
    listing.add_argument("package_name", nargs="?", help="The package")
    listing.add_argument("--full-path", action="store_true", help="Print paths instead of names")
    add_verb(group, "list", "Print the installed packages", list_packages)
    prefix = add_verb(group, "prefix", "Print where a package is installed", show_prefix)
    prefix.add_argument("package_name", help="The package")
    prefix.add_argument("--share", action="store_true", help="Print its share directory instead")


def list_packages(args: argparse.Namespace) -> None:
    """Print the installed packages."""
    for name in sorted(get_packages_with_prefixes()):
        print(name)


def show_prefix(args: argparse.Namespace) -> str | None:
    """Print where a package is installed."""
    try:
        prefix = package_prefix(args.package_name)
    except RuntimeError:
        return "Package not found"
    print(prefix / "share" / args.package_name if args.share else prefix)
    return None


def list_executables(args: argparse.Namespace) -> None:
    """Print the executables of one package, or of all."""
    packages = [args.package_name] if args.package_name else sorted(get_packages_with_prefixes())
    for package in packages:
        for path in executables(package):
            print(path if args.full_path else f"{package} {path.name}")
