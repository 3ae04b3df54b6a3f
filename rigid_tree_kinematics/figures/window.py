"""Opening a figure on a screen, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def opened(figure: Figure) -> None:
    """Show a figure without waiting; without a screen it can be saved all the same."""
    import matplotlib as mpl
    from matplotlib.backends import BackendFilter, backend_registry

    figure.tight_layout()
    screens = backend_registry.list_builtin(BackendFilter.INTERACTIVE)
    if mpl.get_backend().lower() in {name.lower() for name in screens}:
        figure.show()
