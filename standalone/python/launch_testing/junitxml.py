"""Test results as JUnit XML."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree


def unittestResultsToXml(*, test_results: Mapping[Any, Any], name: str) -> ElementTree.ElementTree:
    """Return a document with one test suite for each run."""
    results = list(test_results.values())
    root = ElementTree.Element(
        "testsuites",
        name=name,
        tests=str(sum(result.testsRun for result in results)),
        failures=str(sum(len(result.failures) for result in results)),
        errors=str(sum(len(result.errors) for result in results)),
        time=_seconds(sum(sum(result.test_times.values()) for result in results)),
    )
    for run, result in test_results.items():
        root.append(_suite(str(run), result))
    return ElementTree.ElementTree(root)


def _suite(name: str, result: Any) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(result.testsRun),
        failures=str(len(result.failures)),
        errors=str(len(result.errors)),
        skipped=str(len(result.skipped)),
        time=_seconds(sum(result.test_times.values())),
    )
    for case, seconds in result.test_times.items():
        full_method, _, qualifiers = case.id().partition(" ")
        class_name, _, method = full_method.rpartition(".")
        element = ElementTree.SubElement(
            suite,
            "testcase",
            classname=class_name,
            name=f"{method} {qualifiers}".strip(),
            time=_seconds(seconds),
        )
        outcomes = {"failure": result.failures, "error": result.errors, "skipped": result.skipped}
        for tag, entries in outcomes.items():
            for entry_case, message in entries:
                if entry_case == case:
                    ElementTree.SubElement(element, tag, message=message)
    return suite


def _seconds(seconds: float) -> str:
    return str(round(seconds, 3))
