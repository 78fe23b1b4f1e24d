"""Every kind of node of a checked tree has a function that compiles it."""

from __future__ import annotations

import inspect

import pytest

from simulator.compile import dispatch
from simulator.compile import handlers as _handlers  # noqa: F401 (they register themselves)
from simulator.ir import tree

#: Kinds that the checker replaces, and those that have other ways in: structures, and labels.
REPLACED = {tree.Expression, tree.SizeOf, tree.Aggregate, tree.Statement, tree.CaseLabel}


def kinds(of: type[tree.Node]) -> set[type[tree.Node]]:
    classes = [found for _, found in inspect.getmembers(tree, inspect.isclass)]
    return {found for found in classes if issubclass(found, of)} - REPLACED


def test_every_kind_of_expression_and_statement_has_a_handler() -> None:
    assert set(dispatch.expression.registry) - {object} == kinds(tree.Expression)
    assert set(dispatch.statement.registry) - {object} == kinds(tree.Statement)


ENTRIES = "expression", "structure", "lvalue", "pointed", "statement"


@pytest.mark.parametrize("entry", ENTRIES)
def test_handlers_say_which_construct_they_compile(entry: str) -> None:
    registry = getattr(dispatch, entry).registry
    handlers = {kind: handler for kind, handler in registry.items() if kind is not object}
    assert handlers
    assert all((handler.__doc__ or "").startswith("`") for handler in handlers.values())


@pytest.mark.slow
def test_a_kind_without_a_handler_is_named() -> None:
    case = tree.CaseLabel(None, span=None)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="Case"):
        dispatch.statement(case, None)  # type: ignore[arg-type]
