"""Docstrings of the public interface say what is taken and returned, as numpydoc validates it."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

validation = pytest.importorskip("numpydoc.validate")
docscrape = pytest.importorskip("numpydoc.docscrape")

#: The errors of numpydoc's validation that must not occur.
CODES = {
    "GL08": "there is no docstring",
    "PR01": "a parameter is not documented",
    "PR02": "an unknown parameter is documented",
    "PR04": "a parameter has no type",
    "RT01": "what is returned is not said",
    "RT03": "what is returned has no description",
    "SS03": "the summary does not end with a full stop",
    "SS05": "the summary is in the third person",
    "SS06": "the summary has several lines",
    "YD01": "what is yielded is not said",
}
MEMBERS = (type(lambda: None), classmethod, staticmethod, property)


def public() -> Iterator[tuple[str, Any]]:
    """What the packages export, and what has a public name in the classes among it."""
    for package in ("simulator", "gpubfs"):
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            own = (getattr(value, "__module__", "") or "").startswith(package)
            if inspect.ismodule(value) or not callable(value) or not own:
                continue
            yield f"{package}.{name}", value
            fields = {*getattr(value, "__dataclass_fields__", ())}
            for member, held in vars(value).items() if inspect.isclass(value) else ():
                if (
                    not member.startswith("_")
                    and isinstance(held, MEMBERS)
                    and member not in fields
                ):
                    yield f"{package}.{name}.{member}", held


def errors(name: str, value: Any) -> dict[str, str]:
    """What numpydoc has against a docstring; attributes stand for the fields of dataclasses."""
    cached = getattr(value, "__wrapped__", None)
    given = docscrape.get_doc_object(cached) if cached else name
    found = {code: text for code, text in validation.validate(given)["errors"] if code in CODES}
    is_error = inspect.isclass(value) and issubclass(value, Exception)
    if dataclasses.is_dataclass(value) or is_error:
        found.pop("PR01", None)
    return found


@pytest.mark.parametrize(("name", "value"), [pytest.param(*pair, id=pair[0]) for pair in public()])
def test_a_public_docstring_is_valid(name: str, value: Any) -> None:
    assert errors(name, value) == {}
