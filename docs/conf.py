"""How Sphinx builds the manual; ``make docs`` runs it."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

# Found by the path above, which has to be set first.
from _reference.api import api_pages  # noqa: E402
from _reference.interfaces import interface_pages  # noqa: E402
from _reference.parameters import parameter_pages  # noqa: E402

from rigid_tree_kinematics import __version__  # noqa: E402

project = "rigid_tree_kinematics"
author = "rigid_tree_kinematics maintainers"
copyright = f"2026, {author}"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_reference"]
myst_enable_extensions = ["colon_fence", "attrs_block"]
myst_heading_anchors = 4
copybutton_exclude = ".linenos, .gp, .go"  # prompts and outputs

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"Array": "Array", "ArrayLike": "ArrayLike"}
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_search_scorer = str(DOCS / "_static" / "scorer.js")
html_show_sphinx = False

# Links of README.md, which is included by docs/overview.md, to files that have pages here, too.
LINKS = {
    "(standalone/README.md)": "(docs/standalone.md)",
    "(CONTRIBUTING.md)": "(docs/contributing.md)",
}

# autodoc_type_aliases has no effect on annotations that are evaluated.
EXPANDED = stringify_annotation(ArrayLike, "smart")

HIDDEN_COLON = "\ufdd0"


def write_reference(app: Sphinx) -> None:
    """Write the pages that are made of the sources; those that stay the same keep their date."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    pages = api_pages() | interface_pages(DOCS.parent / "packages") | parameter_pages()
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def adapt_links(_: Sphinx, path: Path, __: str, content: list[str]) -> None:
    """Turn links of the README to the pages of the manual, and diagrams to text."""
    if path.name == "README.md":
        for link, page in LINKS.items():
            content[0] = content[0].replace(link, page)
    elif path.name == "CONTRIBUTING.md":
        content[0] = content[0].replace("```mermaid", "```text")  # drawn by GitHub only


def plain_types(*event: Any) -> tuple[str | None, str | None]:
    """Name a type alias in a signature as the code does."""
    signature, returned = event[-2:]
    shorten = partial(re.sub, r"TypeAliasForwardRef\('(\w+)'\)", r"\1")

    def plain(text: str | None) -> str | None:
        return text and shorten(text.replace(EXPANDED, "ArrayLike"))

    return plain(signature), plain(returned)


def hide_colons(_: Sphinx, what: str, *about: Any) -> None:
    """Keep napoleon from taking what stands before a colon in a property's sentence for a type."""
    lines = about[-1]
    if what in ("property", "attribute", "data") and lines:
        lines[0] = lines[0].replace(":", HIDDEN_COLON)


def show_colons(_: Sphinx, __: str, *about: Any) -> None:
    """Put the hidden colons back."""
    about[-1][:] = [line.replace(HIDDEN_COLON, ":") for line in about[-1]]


def setup(app: Sphinx) -> None:
    """Have the reference written before the pages are read."""
    app.connect("builder-inited", write_reference)
    app.connect("include-read", adapt_links)
    app.connect("autodoc-process-signature", plain_types)
    # Before and after napoleon.
    app.connect("autodoc-process-docstring", hide_colons, priority=400)
    app.connect("autodoc-process-docstring", show_colons, priority=600)
