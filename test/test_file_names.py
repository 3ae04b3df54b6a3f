"""launch_testing's pytest plug-in imports every test file, by its name and its packages' names."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def module_names() -> Iterator[str]:
    for folder in (ROOT / "test", ROOT / "standalone" / "test"):
        for path in folder.rglob("test_*.py"):
            names = [path.stem]
            while (path.parent / "__init__.py").exists():
                path = path.parent
                names.append(path.name)
            yield ".".join(reversed(names))


def test_no_two_files_have_the_same_module_name():
    assert [name for name, count in Counter(module_names()).items() if count > 1] == []
