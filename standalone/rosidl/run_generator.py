"""Run a code generator of rosidl several times faster: ``run_generator.py GENERATOR ARGUMENTS``.

Generators spend most of their time on parsing interface files and compiling templates. This caches
parsed interfaces for the next generator, in ``parsed/`` beside the arguments file, and compiled
templates for the next file. The output is identical.
"""

import functools
import hashlib
import os
import pickle
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import em
import rosidl_parser.parser


def keep_template_tokens() -> None:
    """Let EmPy scan each piece of a template only once."""
    scan = em.Scanner.one
    known: dict[tuple[str, tuple[Any, ...]], tuple[Any, int]] = {}

    def one(scanner: Any, *arguments: Any) -> Any:
        """Return the next token, which depends only on the rest of the text."""
        rest = scanner.rest()
        if (rest, arguments) in known:
            token, length = known[rest, arguments]
            scanner.advance(length)
            scanner.sync()
            return token
        token = scan(scanner, *arguments)
        known[rest, arguments] = token, len(rest) - len(scanner)
        return token

    em.Scanner.one = one


def keep_template_code() -> None:
    """Let EmPy compile each expression and statement of a template only once."""

    @functools.cache
    def compiled(text: str, mode: str) -> Any:
        return compile(text, "<template>", mode, dont_inherit=True)

    # eval ignores blanks before an expression.
    em.evalFunc = lambda text, *names: eval(compiled(text.lstrip(" \t"), "eval"), *names)
    em.execFunc = lambda text, *names: exec(compiled(text, "exec"), *names)


def keep_parsed_interfaces(folder: Path) -> None:
    """Let the parser of interface files use a folder as its cache."""
    parse = rosidl_parser.parser.parse_idl_string
    parser_digest = hashlib.sha256(Path(rosidl_parser.parser.__file__).read_bytes()).digest()

    def parse_once(text: str, png_file: str | None = None) -> Any:
        """Return the parsed interface file."""
        kept = folder / hashlib.sha256(parser_digest + text.encode()).hexdigest()
        if kept.exists():
            return pickle.loads(kept.read_bytes())
        content = parse(text, png_file)
        folder.mkdir(parents=True, exist_ok=True)
        # Generators run in parallel and must not read incomplete files.
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            pickle.dump(content, file)
        os.replace(file.name, kept)
        return content

    rosidl_parser.parser.parse_idl_string = parse_once


def main() -> None:
    """Run the generator in this process."""
    del sys.argv[0]
    arguments_file = sys.argv[sys.argv.index("--generator-arguments-file") + 1]
    keep_template_tokens()
    keep_template_code()
    keep_parsed_interfaces(Path(arguments_file).parent / "parsed")
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
