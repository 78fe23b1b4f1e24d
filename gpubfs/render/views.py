"""Views: functions that show data, registered for its type by modules that stand above it.

Runs, graphs and reports are data. Tables, plots and traces import them and not the reverse: what a
user calls on the data, such as ``run.plot_work()``, or what a notebook asks of it, looks here for
the function that is registered for its type.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

Function = TypeVar("Function", bound=Callable[..., Any])

#: Functions by the type that they show and the name of the view.
_VIEWS: dict[tuple[type, str], Callable[..., Any]] = {}

#: Modules whose import registers views.
_MODULES: list[str] = []


def provide(*modules: str) -> None:
    """Name modules that register views; some are slow to import, and wait until they are needed."""
    _MODULES.extend(module for module in modules if module not in _MODULES)


def view(kind: type, name: str = "") -> Callable[[Function], Function]:
    """Register a function as a view of a type, under its own name or another.

    Examples
    --------
    >>> @view(complex, "text")
    ... def polar(number: complex, digits: int) -> str:
    ...     return f"length {abs(number):.{digits}f}"
    >>> show_as(3 + 4j, "text", 1)
    'length 5.0'
    """

    def register(function: Function) -> Function:
        _VIEWS[kind, name or function.__name__] = function
        return function

    return register


def show_as(data: object, name: str, *arguments: Any) -> Any:
    """Show data by the view of that name for its type.

    Raises
    ------
    LookupError
        If no module has registered one.
    """
    found = _find(type(data), name)
    for module in _MODULES:
        if found is not None:
            break
        importlib.import_module(module)
        found = _find(type(data), name)
    if found is None:
        raise LookupError(f"no view {name!r} of {type(data).__name__} is registered")
    return found(data, *arguments)


def _find(kind: type, name: str) -> Callable[..., Any] | None:
    return next((_VIEWS[one, name] for one in kind.__mro__ if (one, name) in _VIEWS), None)


class Viewed:
    """Data that show themselves by two views.

    ``terminal(data, width)`` gives what rich prints, and ``html(data)`` what a notebook shows.
    """

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield from show_as(self, "terminal", options.max_width)

    def _repr_html_(self) -> str:
        page: str = show_as(self, "html")
        return page
