"""What users choose of a technique: options, their allowed values, and options as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine

#: What `run` and `trace` take themselves, so that no option can be given by these names.
TAKEN = (
    "technique",
    "graph",
    "source",
    "machine",
    "device",
    "schedule",
    "counters",
    "sanitize",
    "observe",
    "progress",
    "levels",
)

# A technique and its options as users write them: ``scan-free:block=64``, ``block=64``.


def parse(spec: str, pairs: Iterable[str] = ()) -> tuple[str, dict[str, Any]]:
    """Parse a technique's name and its options, given with it or as ``name=value`` texts.

    Raises
    ------
    UsageError
        If an option is empty, has no equals sign, or is given twice.

    Examples
    --------
    >>> parse("block-prefix-sum:block=64", ["edges-per-thread=8"])
    ('block-prefix-sum', {'block': '64', 'edges_per_thread': '8'})
    """
    name, colon, text = spec.partition(":")
    if colon and not text.strip():
        hint = f"write {name}:name=value, such as {name}:block=128, or {name} alone"
        raise UsageError(f'"{spec}" has a colon, but no option after it', hint)
    return name, options([*(text.split(",") if colon else ()), *pairs])


def options(pairs: Iterable[str]) -> dict[str, Any]:
    """Options from ``name=value`` texts.

    Raises
    ------
    UsageError
        If a text has no equals sign, or an option is there twice.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        written, equals, given = pair.partition("=")
        name = written.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f'"{pair}" is not an option', "write name=value, such as block=128")
        if name in found:
            both = f"{found[name]} and {given.strip()}"
            raise UsageError(f"the option {name} is given twice: {both}", "give it once")
        found[name] = given.strip()
    return found


# What the user of a technique may choose, and which values are allowed.


YES = {"true": True, "yes": True, "on": True, "1": True}
NO = {"false": False, "no": False, "off": False, "0": False}

Value = int | float | str | bool

#: The choice that leaves a value to the graph and the machine.
AUTO = "auto"


@dataclass(frozen=True)
class Option:
    """One thing about a technique that its user may choose.

    Parameters
    ----------
    name : str
        A Python name; the driver gets the value as the keyword argument of this name.
    default : int, float, str or bool
        The value where none is given; its type is the option's type.
    meaning : str
        What it changes, with its unit.
    choices : tuple, optional
        The only values allowed.
    minimum, maximum : int or float, optional
        Bounds of a number, inclusive.
    whole_warps : bool
        Whether the value must be a multiple of the machine's warp size.
    within_warp : bool
        Whether the value is at most the machine's warp size, to which the default is lowered.
    define : str, optional
        The macro by which the kernel file knows the value: a number as it is, a truth value as 0 or
        1, a word behind the macro's own name: ``enqueue=prefix-sum`` as ``ENQUEUE_PREFIX_SUM``, and
        ``supports=warp+block`` as ``SUPPORTS_WARP_BLOCK``.
    choose : callable, optional
        ``choose(graph, machine, values) -> value``, which finds the value where it is "auto"; that
        must be one of the choices. `values` has the other options' values.
    only_with : (str, tuple), optional
        Another option, and those of its values with which this one changes anything: with others a
        value beside the default is refused.
    """

    name: str
    default: Value
    meaning: str
    choices: tuple[Value, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    whole_warps: bool = False
    within_warp: bool = False
    define: str = ""
    choose: Callable[[Graph, Machine, Mapping[str, Value]], Value] | None = field(
        default=None, repr=False
    )
    only_with: tuple[str, tuple[Value, ...]] | None = field(default=None, repr=False)

    def parse(self, value: object) -> Value:
        """Return the value that `value`, perhaps text from a command line, stands for.

        Parameters
        ----------
        value : object
            A value, or its text.

        Returns
        -------
        int, float, str or bool
            Of the default's type.

        Raises
        ------
        UsageError
            If it is of another type or not allowed.

        Examples
        --------
        >>> Option("block", 256, "threads per block", minimum=1).parse("64")
        64
        """
        parsed = self._typed(value)
        if self.choices and parsed not in self.choices:
            raise UsageError(f"{self.name}={value} is not a choice", self.allowed)
        if isinstance(parsed, int | float) and not self._within(parsed):
            raise UsageError(f"{self.name}={value} is out of range", self.allowed)
        return parsed

    def as_dict(self) -> dict[str, object]:
        """Return everything but the code, ready for JSON.

        Returns
        -------
        dict
            Its fields by name.
        """
        return {key: of for key, of in vars(self).items() if key not in ("choose", "only_with")}

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.choices:
            return f"give one of {', '.join(map(str, self.choices))}"
        if isinstance(self.default, bool):
            return "give true or false"
        if isinstance(self.default, str):
            return "give a word"
        low = "" if self.minimum is None else f" from {self.minimum}"
        high = "" if self.maximum is None else f" up to {self.maximum}"
        kind = "number" if isinstance(self.default, float) else "whole number"
        return f"give a {kind}{low}{high}"

    def macro(self, value: Value) -> str:
        """Return what the macro `define` stands for.

        Parameters
        ----------
        value : int, float, str or bool
            A value that the option allows.

        Returns
        -------
        str
            What the preprocessor puts in the macro's place.

        Examples
        --------
        >>> Option("enqueue", "atomic", "", define="ENQUEUE").macro("prefix-sum")
        'ENQUEUE_PREFIX_SUM'
        """
        if isinstance(value, str):
            return f"{self.define}_{value.upper().replace('-', '_').replace('+', '_')}"
        return str(int(value) if isinstance(value, bool) else value)

    @property
    def _kind(self) -> Any:
        """The type of its values; "auto" may stand among numbers."""
        return type(next((one for one in self.choices if one != AUTO), self.default))

    def _within(self, value: float) -> bool:
        low = self.minimum is None or value >= self.minimum
        return math.isfinite(value) and low and (self.maximum is None or value <= self.maximum)

    def _typed(self, value: object) -> Value:
        text = str(value).strip()
        kind = self._kind
        try:
            if text == AUTO and AUTO in self.choices:
                return AUTO
            return (YES | NO)[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            raise UsageError(f"{self.name}={text} makes no sense", self.allowed) from None

    def changes(self, values: Mapping[str, Value]) -> bool:
        """Return whether its value changes anything beside those of the technique's others.

        Parameters
        ----------
        values : mapping
            A value for each option of the technique.

        Returns
        -------
        bool
            False only with values of another option that are not in `only_with`.
        """
        return self.only_with is None or values[self.only_with[0]] in self.only_with[1]

    def check_effect(self, values: Mapping[str, Value], warp_size: int) -> None:
        """Raise UsageError if its value changes nothing beside the others, and is not the default.

        Parameters
        ----------
        values : mapping
            A value for each option of the technique.
        warp_size : int
            Lanes of the machine's warps.
        """
        given = values[self.name]
        if self.only_with is None or self.changes(values) or given == self.fitting(warp_size):
            return
        other, needed = self.only_with
        raise UsageError(
            f"{self.name}={given} changes nothing with {other}={values[other]}",
            f"leave out {self.name}, or take {other}={' or '.join(map(str, needed))}",
        )

    def fitting(self, warp_size: int) -> Value:
        """Return the default on a machine with warps of this size.

        Parameters
        ----------
        warp_size : int
            Lanes of a warp.

        Returns
        -------
        int, float, str or bool
            The default, lowered to the warp's size where it must be within a warp.
        """
        if self.within_warp and isinstance(self.default, int):
            return min(self.default, warp_size)
        return self.default

    def check_warps(self, value: Value, warp_size: int) -> None:
        """Check that a value goes with warps of this size.

        Parameters
        ----------
        value : int, float, str or bool
            A value that the option allows.
        warp_size : int
            Lanes of a warp.

        Raises
        ------
        UsageError
            Where it is no multiple of that size, or more, and must not be.
        """
        if self.within_warp and isinstance(value, int) and value > warp_size:
            raise UsageError(
                f"{self.name}={value} is more than a warp, which has {warp_size} lanes here",
                f"give at most {warp_size}",
            )
        if self.whole_warps and isinstance(value, int) and value % warp_size:
            raise UsageError(
                f"{self.name}={value} is not a whole number of warps",
                f"give a multiple of {warp_size}",
            )
