"""The list of a launch description's arguments."""

from __future__ import annotations

from launch import LaunchDescription


def print_arguments_of_launch_description(*, launch_description: LaunchDescription) -> None:
    """Print names, descriptions and defaults; a star marks those used only conditionally."""
    print("Arguments (pass arguments as '<name>:=<value>'):")
    arguments = launch_description.get_launch_arguments()
    if not arguments:
        print("\n  No arguments.")
    for argument in arguments:
        star = "*" if argument._conditionally_included else ""
        print(f"\n    '{argument.name}':{star}\n        {argument.description}")
        if argument.default_value is not None:
            default = " + ".join(token.describe() for token in argument.default_value)
            print(f"        (default: {default})")
    if any(argument._conditionally_included for argument in arguments):
        print("\n* argument(s) which are only used if specific conditions occur")
