"""Families of generated graphs: what one is, how it is registered, and how its sizes are read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args, get_type_hints

from gpubfs.arguments import (
    Register,
    defined_at,
    function,
    is_kind,
    is_name,
    is_whole,
    refuse_bare,
    running,
    shown,
    text,
)
from gpubfs.errors import UsageError, nearest
from gpubfs.graphs.classics import CLASSICS
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.limits import check_size
from gpubfs.graphs.shuffle import OPTION

Sizes = dict[str, int]
Generator = TypeVar("Generator", bound=Callable[..., Graph])

#: The largest value of a parameter, where vertex numbers of 32 bits set one.
LARGEST = {"scale": 30}


@dataclass(frozen=True)
class Family:
    """One kind of generated graph; `graph_family` says what its fields are.

    Attributes
    ----------
    parameters : mapping
        The generator's parameters and their defaults, `inspect.Parameter.empty` where a number
        must be given, and None where the generator finds one.
    """

    name: str
    make: Callable[..., Graph]
    parameters: Mapping[str, Any]
    example: str
    summary: str
    size: Callable[..., tuple[int, int]] | None = None
    separator: str = ","
    positional: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = tuple(key for key in self.parameters if key != "seed")
        object.__setattr__(self, "positional", names)

    @property
    def form(self) -> str:
        """How its specification is written, such as ``grid:WIDTH[xHEIGHT]``.

        The separator stands between sizes; a comma before numbers that have a default.
        """
        parts: list[str] = []
        for key in self.positional:
            default = self.parameters[key]
            between = self.separator if default in (None, inspect.Parameter.empty) else ","
            part = f"{between if parts else ''}{key.upper()}"
            needed = default is inspect.Parameter.empty or not parts
            parts.append(part if needed else f"[{part}]")
        return f"{self.name}{':' if parts else ''}{''.join(parts)}"

    @property
    def usage(self) -> str:
        """The same as a remedy, with an example."""
        seed = ",seed=NUMBER" if "seed" in self.parameters else ""
        if self.parameters.get("seed") is not inspect.Parameter.empty:
            seed = seed and f"[{seed}]"
        return f"write {self.form}{seed}, for example {self.example}"

    def graph(self, spec: str, rest: str) -> Graph:
        """Generate the graph of a specification, of which `rest` stands behind the name."""
        sizes = self.sizes(spec, rest)
        if self.size is not None:
            hint = f"take a smaller one, for example {self.example}"
            check_size(spec, *self._size(sizes), hint)
        with running(f"the graph family {self.name}", self.make):
            made = self.make(**sizes)
        if not is_kind(made, Graph):
            where, what = defined_at(self.make), type(made).__name__
            message = f"{where}: the generator of {self.name} returns something of type {what}"
            raise UsageError(message, "return a gpubfs.Graph, such as Graph.from_edges makes")
        return made.renamed(spec)

    def _size(self, sizes: Sizes) -> tuple[int, int]:
        """Return how many vertices and edges there will be, as its `size` says."""
        assert self.size is not None
        with running(f"the size of the graph family {self.name}", self.make):
            found: Any = self.size(**sizes)
        if isinstance(found, tuple) and len(found) == 2 and all(map(is_whole, found)):
            vertices, edges = map(int, found)
            if min(vertices, edges) >= 0:
                return vertices, edges
        message = f"{defined_at(self.make)}: the size of the graph family {self.name} is"
        hint = "return the numbers of vertices and edges: size=lambda n: (n, 2 * n)"
        raise UsageError(f"{message} {shown(found)}", hint)

    def sizes(self, spec: str, rest: str) -> Sizes:
        """Read the parameters that a specification gives, and complete them by the defaults.

        Raises
        ------
        GraphError
            If one is missing, is there twice, or is no number.
        """
        given: Sizes = {}
        for position, part in enumerate(self._parts(rest)):
            key, equals, value = part.rpartition("=")
            key = self._named(key.strip()) if equals else self._by_position(position)
            if key in given:
                raise GraphError(f"{spec} gives {_spoken(key)} twice", hint=self.usage)
            given[key] = self._whole(spec, key, value.strip())
        sizes = {**self.parameters, **given}
        for key, number in sizes.items():
            if number is inspect.Parameter.empty:
                raise GraphError(f"{self.name} needs its {_spoken(key)}", hint=self.usage)
        return {key: number for key, number in sizes.items() if number is not None}

    def _parts(self, rest: str) -> list[str]:
        parts = [part.strip() for part in rest.split(",")] if rest.strip() else []
        if self.separator != "," and parts:
            between = "[x×]" if self.separator == "x" else re.escape(self.separator)
            parts[:1] = _split(parts[0], re.compile(between), len(self.positional) - 1)
        return parts

    def _named(self, key: str) -> str:
        key = key.lower().replace("-", "_")
        if key in self.parameters:
            return key
        if key == "seed":
            message = f"{self.name} has no randomness and takes no seed"
            raise GraphError(message, hint=f"write {self.example}")
        hint = nearest(key, [*self.parameters, OPTION]) + self.usage
        raise GraphError(f"{self.name} has no parameter {key!r}", hint=hint)

    def _by_position(self, position: int) -> str:
        if position < len(self.positional):
            return self.positional[position]
        many = f"{len(self.positional)} number{'' if len(self.positional) == 1 else 's'}"
        raise GraphError(f"{self.name} takes {many} and got {position + 1}", hint=self.usage)

    def _whole(self, spec: str, key: str, text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,40}", text.replace("_", "")):
            raise GraphError(
                f"{text!r} in {spec} is not a whole number for the {_spoken(key)}",
                hint=f"{nearest(text, [OPTION])}for example {self.example}",
            )
        number, least = int(text.replace("_", "")), 0 if key == "seed" else 1
        most = LARGEST.get(key, number)
        if least <= number <= most:
            return number
        limit = f"at least {least}" if number < least else f"at most {most} (32-bit vertex numbers)"
        raise GraphError(
            f"the {_spoken(key)} in {spec} is {number} and must be {limit}",
            hint=f"for example {self.example}",
        )


#: Specifications that mean something else.
STANDIN = "standin"
RESERVED = ("file", STANDIN, "toy", *CLASSICS)

#: Every family by the name that a specification begins with.
FAMILIES: Register[Family] = Register("graph family")


def graph_family(
    name: str = "",
    *,
    size: Callable[..., tuple[int, int]] | None = None,
    example: str = "",
    separator: str = ",",
) -> Callable[[Generator], Generator]:
    """Register a function as the generator of a family of graphs.

    Its parameters are those of specifications, all whole numbers from 1: ``kron:SCALE`` for one
    that has no default, ``kron:SCALE[,EDGE_FACTOR]`` for one that has. One called `seed` is given
    by name only, and may be 0. What the family is says the first sentence of the docstring.

    Parameters
    ----------
    name : str
        How specifications begin; by default the function's name, with hyphens.
    size : callable, optional
        Called with the same parameters; gives the numbers of vertices and of listed edges, so that
        a graph is refused that is too large for this machine.
    example : str
        A specification for messages; by default with 10 for each number that must be given.
    separator : str
        What stands between the numbers; "x" in ``grid:300x200``.

    Returns
    -------
    callable
        A decorator, which returns the function itself.

    Raises
    ------
    UsageError
        If the name is taken, the function has parameters of other kinds, or the separator could be
        part of a number.

    Examples
    --------
    >>> import gpubfs
    >>> @graph_family("ring")
    ... def ring(vertices: int) -> Graph:
    ...     '''VERTICES in a circle.'''
    ...     ends = range(vertices)
    ...     return Graph.from_edges(ends, [(v + 1) % vertices for v in ends])
    >>> gpubfs.graph("ring:5")
    Graph('ring:5', vertices=5, edges=10)
    >>> del FAMILIES["ring"]
    """
    refuse_bare(name, "graph_family", "graph_family()")
    if size is not None:
        function(size, "size")
    _check_separator(separator)

    def register(make: Generator) -> Generator:
        if not inspect.isfunction(make):
            raise UsageError(f"{shown(make)} is no function", "decorate one that returns a Graph")
        own = name or make.__name__.replace("_", "-")
        if is_name(own) and own in RESERVED:
            raise UsageError(f'"{own}" is a graph of its own, or means a file', "rename the family")
        parameters = _parameters(make)
        needed = [key for key in parameters if parameters[key] is inspect.Parameter.empty]
        numbers = separator.join("10" for key in needed if key != "seed")
        parts = [*filter(None, [numbers]), *(["seed=1"] if "seed" in needed else [])]
        plain = f"{own}:{','.join(parts)}".removesuffix(":")
        about = " ".join((inspect.getdoc(make) or "").partition("\n\n")[0].split())
        family = Family(own, make, parameters, example or plain, about, size, separator)
        FAMILIES.add(own, family, make)
        return make

    return register


def _check_separator(separator: Any) -> None:
    """Raise UsageError unless a separator can stand between numbers."""
    hint = 'give what stands between two numbers, such as "x"'
    between = text(separator, "separator", hint)
    if between != "," and (not between or re.search("[0-9=,]", between)):
        message = f"separator={shown(between)} cannot be told from the numbers beside it"
        raise UsageError(message, hint)


def _parameters(make: Callable[..., Graph]) -> dict[str, Any]:
    """Return a generator's parameters with their defaults."""
    found = {}
    try:
        hints = get_type_hints(make)
    except Exception:  # a name that only type checkers know
        hints = {}
    for key, parameter in inspect.signature(make).parameters.items():
        if key == OPTION:
            hint = "rename the parameter"
            raise UsageError(f"{OPTION} is an option of every graph, not of {make.__name__}", hint)
        default = parameter.default
        annotated = hints.get(key, int)
        numeric = annotated in (int, Any) or int in get_args(annotated)
        fitting = default is None or default is inspect.Parameter.empty or is_whole(default)
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD or not (
            fitting and numeric
        ):
            hint = "give it parameters that are whole numbers, with or without defaults"
            raise UsageError(f"the parameter {parameter} of {make.__name__} is no number", hint)
        found[key] = default
    return found


#: A parameter's name in front of its number, with underscores or hyphens.
NAMED = re.compile(r"\s*(?!-?\d)[\w-]+\s*=")


def _split(text: str, between: re.Pattern[str], most: int) -> list[str]:
    """Divide sizes at up to `most` separators, or at all for 0; none is part of a name.

    >>> _split("max_x=4x3", re.compile("x"), 1)
    ['max_x=4', '3']
    """
    named = NAMED.match(text)
    found = between.search(text, named.end() if named else 0)
    if found is None:
        return [text]
    first, rest = text[: found.start()], text[found.end() :]
    return [first, *([rest] if most == 1 else _split(rest, between, most - 1))]


def _spoken(key: str) -> str:
    return {"vertices": "number of vertices", "leaves": "number of leaves"}.get(
        key, key.replace("_", " ")
    )
