"""Pages of the ROS interfaces, made of the comments in their .msg, .srv and .action files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}
PARTS = {"msg": ("",), "srv": ("Request", "Response"), "action": ("Goal", "Result", "Feedback")}


@dataclass
class Group:
    """Lines that stand together: a comment, and the fields that it is about."""

    comment: list[str] = field(default_factory=list)
    rows: list[tuple[str, str, str]] = field(default_factory=list)  # type, name, comment


def interface_pages(folder: Path) -> dict[str, str]:
    """Return Markdown by the name of the page: one for each package in a folder."""
    packages = sorted(path.parent for path in folder.glob("*_interfaces/package.xml"))
    return {f"{package.name}.md": _package_page(package) for package in packages}


def _package_page(package: Path) -> str:
    own = {path.stem for path in package.glob("msg/*.msg")}
    lines = [f"# {package.name}", ""]
    for kind, title in KINDS.items():
        files = sorted(package.glob(f"{kind}/*.{kind}"))
        lines += [f"## {title}", ""] if files else []
        for path in files:
            lines += [f"({kind}-{path.stem.lower()})=", f"### {path.stem}", ""]
            lines += [f"`{package.name}/{kind}/{path.stem}`", ""]
            lines += _definition(path.read_text(encoding="utf-8"), PARTS[kind], own)
    return "\n".join(lines) + "\n"


def _definition(text: str, parts: tuple[str, ...], own: set[str]) -> Iterator[str]:
    sections: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip() == "---":
            sections.append([])
        else:
            sections[-1].append(line.strip())
    for title, section in zip(parts, sections, strict=True):
        if title:
            yield from (f"**{title}**", "")
        groups = list(_groups(section))
        if not any(group.rows for group in groups):
            groups = [*groups, Group(["No fields."])]
        for group in groups:
            if group.comment:
                yield from (" ".join(group.comment), "")
            if group.rows:
                yield from _table(group.rows, own)


def _groups(lines: list[str]) -> Iterator[Group]:
    """Yield what is separated by empty lines."""
    for has_text, block in groupby(lines, key=bool):
        if has_text:
            group = Group()
            for line in block:
                code, _, comment = (part.strip() for part in line.partition("#"))
                if code:
                    kind, name = code.split(maxsplit=1)
                    group.rows.append((kind, name, comment))
                elif group.rows:  # a comment that goes on, or about what follows
                    yield group
                    group = Group([comment])
                else:
                    group.comment.append(comment)
            yield group


def _table(rows: list[tuple[str, str, str]], own: set[str]) -> Iterator[str]:
    commented = any(comment for _, _, comment in rows)
    yield from (
        ("| type | field | |", "|---|---|---|") if commented else ("| type | field |", "|---|---|")
    )
    for kind, name, comment in rows:
        base = kind.removesuffix("[]")
        shown = f"[`{kind}`](#msg-{base.lower()})" if base in own else f"`{kind}`"
        yield f"| {shown} | `{name}` |" + (f" {comment} |" if commented else "")
    yield ""
