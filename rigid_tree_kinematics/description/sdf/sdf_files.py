"""Finds and parses the documents of an SDF model, and the models that it includes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from rigid_tree_kinematics.description.meshes import PackagePaths, model_places
from rigid_tree_kinematics.description.urdf import CONTENT, Document, Element, parse_xml
from rigid_tree_kinematics.files import read_plain_file

SDF = "sdf"  # the root element
OLDEST, NEWEST = (1, 2), (1, 12)  # 1.2 and 1.3 are like 1.4
MOST_INCLUDES = 200
DEEPEST = 20  # models in each other
MANIFEST = "model.config"


class SdfFiles:
    """The documents of a model, with the folders in which included models are looked up."""

    def __init__(self, package_paths: PackagePaths = ()) -> None:
        self.package_paths = package_paths
        self.documents: list[Document] = []
        self._included = 0

    def root(self, data: str | bytes, source: str, directory: str | None) -> Element:
        """Return the <sdf> element of a document."""
        root = parse_xml(data, source)
        document = root.own_document = Document(source, directory)
        self.documents.append(document)
        if root.tag != SDF:
            raise root.error(f"the root element of an SDF is <sdf>, not <{root.tag}>")
        version = root.attributes.get("version", "")
        major, _, minor = version.partition(".")
        document.version = NEWEST
        if major.isdecimal() and minor.isdecimal():
            document.version = int(major), int(minor)
        if not OLDEST <= document.version <= NEWEST or not version:
            if document.version < OLDEST:
                raise root.error(f"SDF version {version} is too old; convert it to 1.4 or later")
            root.remark(f"SDF version '{version}' is read as 1.12")
            document.version = NEWEST
        return root

    def included(self, include: Element, depth: int) -> Element:
        """Return the <model> of an <include>, with the name and pose that the <include> sets."""
        include.check_known(
            ("merge",), ("uri", "name", "pose", "placement_frame", "static", "plugin")
        )
        uri = include.child("uri")
        if uri is None:
            raise include.error("<include> has no <uri>")
        self._included += 1
        if self._included > MOST_INCLUDES or depth > DEEPEST:
            raise include.error(f"more than {MOST_INCLUDES} includes, or {DEEPEST} in each other")
        file = self._find(uri.text(CONTENT).strip(), uri)
        try:
            data = read_plain_file(file)
        except OSError as error:
            raise include.error(f"cannot read '{file}': {error.strerror}") from error
        model = only_model(self.root(data, str(file), str(file.parent)))
        if model.tag == "include":
            model = self.included(model, depth + 1)
        return _overridden(model, include)

    def _find(self, uri: str, element: Element) -> Path:
        """Return the file of a URI, which can name a folder with a model.config."""
        directory = element.document.directory
        for place in model_places(uri, directory, self.package_paths):
            if os.path.isfile(place / MANIFEST):
                return _newest(place / MANIFEST)
            for file in (place / "model.sdf", place):
                if os.path.isfile(file):
                    return file
        raise element.error(
            f"the included model '{uri}' was not found; name the folder that contains it in "
            "package_paths"
        )


def _newest(manifest: Path) -> Path:
    """Return the model's file of the newest version that is listed and can be read."""
    root = parse_xml(read_plain_file(manifest), str(manifest))
    root.own_document = Document(str(manifest), str(manifest.parent))
    found: dict[tuple[int, ...], str] = {}
    for sdf in root.all("sdf"):
        version = sdf.attributes.get("version", "1.4")
        key = tuple(int(part) for part in version.split(".") if part.isdecimal())
        if key <= NEWEST:
            found[key] = sdf.text(CONTENT).strip()
    if not found:
        raise root.error("<model> names no <sdf> file of version 1.12 or earlier")
    return manifest.parent / found[max(found)]


def _overridden(model: Element, include: Element) -> Element:
    """Return a model with the name, pose, placement and state that an <include> sets."""
    attributes, children = dict(model.attributes), model.children
    for tag, attribute in (("name", "name"), ("placement_frame", "placement_frame")):
        if (given := include.child(tag)) is not None:
            attributes[attribute] = given.text(CONTENT).strip()
    for tag in ("pose", "static"):
        if (given := include.child(tag)) is not None:
            children = [child for child in children if child.tag != tag] + [given]
    return replace(model, attributes=attributes, children=children)


def only_model(root: Element) -> Element:
    """Return the only <model>, or <include> of one, of a document, also in a <world>."""
    worlds = root.all("world")
    found = [
        child
        for place in (root, *worlds)
        for child in place.children
        if child.tag in ("model", "include")
    ]
    if len(found) != 1:
        names = [_label(model) for model in found]
        listed = f": {', '.join(names)}; keep one" if names else ""
        raise root.error(f"the SDF has {len(found)} models{listed}")
    return found[0]


def _label(model: Element) -> str:
    uri = model.child("uri")
    return f"'{model.attributes.get('name') or (uri.content.strip() if uri else '')}'"
