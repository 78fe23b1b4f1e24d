"""What a technique is: description, options, kernel file; and how all techniques are found."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gpubfs.errors import UsageError, unknown

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.host import Answer

KERNELS = Path(__file__).parent / "kernels"
DRIVERS = "gpubfs.techniques"
BOTH = ("sim", "gpu")
YES = {"true": True, "yes": True, "on": True, "1": True}
NO = {"false": False, "no": False, "off": False, "0": False}

Value = int | float | str | bool
Driver = Callable[..., "Answer"]
Kind = TypeVar("Kind")


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
        1, a word behind the macro's own name: ``enqueue=prefix-sum`` as ``ENQUEUE_PREFIX_SUM``.
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

    def parse(self, value: object) -> Value:
        """The value that `value`, perhaps text from a command line, stands for.

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
        """What the macro `define` stands for.

        >>> Option("enqueue", "atomic", "", define="ENQUEUE").macro("prefix-sum")
        'ENQUEUE_PREFIX_SUM'
        """
        if isinstance(value, str):
            return f"{self.define}_{value.upper().replace('-', '_')}"
        return str(int(value) if isinstance(value, bool) else value)

    def _within(self, value: float) -> bool:
        low = self.minimum is None or value >= self.minimum
        return low and (self.maximum is None or value <= self.maximum)

    def _typed(self, value: object) -> Value:
        text = str(value).strip()
        try:
            if isinstance(self.default, bool):
                return (YES | NO)[text.lower()]
            return text if isinstance(self.default, str) else type(self.default)(text)
        except (KeyError, ValueError):
            raise UsageError(f"{self.name}={text} makes no sense", self.allowed) from None


@dataclass(frozen=True)
class Technique:
    """One way to run a breadth-first search: a kernel file and the host code that drives it.

    Attributes
    ----------
    name, family, idea, paper, section, year
        What it is called, what it is a technique for, its idea in one sentence, and where it comes
        from.
    kernel : str
        The file in `gpubfs/kernels`.
    arrays : mapping
        The arrays that the driver allocates, and what their values mean.
    memory : str
        Its device memory beyond the graph, as a formula.
    options : tuple of Option
        What its user may choose.
    machines : tuple of str
        Where it runs.
    drive : callable
        ``drive(host, graph, source, **options) -> Answer``.
    about : str
        The driver module's whole docstring.
    benign : mapping
        Arrays on which threads race on purpose, and why that does no harm.
    shared : mapping
        The arrays in shared memory, and what their values mean.
    cooperative : bool or callable
        Whether whole grids wait at barriers, and so launches must be cooperative; where that
        depends on options, a function of their values.
    directed : bool
        Whether directed graphs are searched, too.
    """

    name: str
    family: str
    idea: str
    kernel: str
    paper: str
    section: str
    year: int
    arrays: Mapping[str, str]
    memory: str
    drive: Driver
    options: tuple[Option, ...] = ()
    machines: tuple[str, ...] = BOTH
    about: str = field(default="", repr=False)
    benign: Mapping[str, str] = field(default_factory=dict, repr=False)
    shared: Mapping[str, str] = field(default_factory=dict, repr=False)
    cooperative: bool | Callable[[Mapping[str, Value]], bool] = False
    directed: bool = True

    @property
    def path(self) -> Path:
        """Where the kernel file is."""
        return KERNELS / self.kernel

    @property
    def source(self) -> str:
        """The text of the kernel file."""
        return self.path.read_text(encoding="utf-8")

    def complete(self, given: Mapping[str, object], warp_size: int = 32) -> dict[str, Value]:
        """A value for every option: those given, checked, and defaults for the rest.

        Parameters
        ----------
        given : mapping
            Values by option name; a hyphen may stand for an underscore.
        warp_size : int
            Lanes of the machine's warps.

        Raises
        ------
        UsageError
            For an option that the technique has not, or a value that the option does not allow.
        """
        values = {option.name: _fitting(option, warp_size) for option in self.options}
        for key, value in given.items():
            option = self._option(key.replace("-", "_"))
            values[option.name] = option.parse(value)
        for option in self.options:
            _check_warps(option, values[option.name], warp_size)
        return values

    def defines(self, values: Mapping[str, Value]) -> dict[str, str]:
        """The macros that the kernel file must be compiled with, for complete option `values`."""
        return {o.define: o.macro(values[o.name]) for o in self.options if o.define}

    def is_cooperative(self, values: Mapping[str, Value]) -> bool:
        """Whether launches are cooperative, for complete option `values`."""
        return self.cooperative(values) if callable(self.cooperative) else self.cooperative

    def as_dict(self) -> dict[str, object]:
        """Everything but the code, ready for JSON."""
        names = ("name", "family", "idea", "kernel", "paper", "section", "year", "memory", "arrays")
        kinds = ("shared", "benign", "directed")
        described = {name: getattr(self, name) for name in (*names, *kinds)}
        options = [asdict(option) for option in self.options]
        return described | {"options": options, "machines": list(self.machines)}

    def check_machine(self, machine: str) -> None:
        """Raise UsageError if the technique does not run on `machine`."""
        if machine not in self.machines:
            known = " and ".join(self.machines)
            raise UsageError(f"{self.name} does not run on {machine}", f"it runs on {known}")

    def check_graph(self, graph: Graph) -> None:
        """Raise UsageError if the technique does not search graphs of this kind."""
        if graph.directed and not self.directed:
            raise UsageError(
                f"{self.name} does not search directed graphs, and {graph.spec} is one: it looks "
                "for parents along the edges of their children",
                "leave out directed, or take a technique that only goes forward, such as scan-free",
            )

    def _option(self, name: str) -> Option:
        for option in self.options:
            if option.name == name:
                return option
        raise unknown(f"option of {self.name} named", name, [o.name for o in self.options])


def technique(
    name: str,
    *,
    family: str,
    kernel: str,
    paper: str,
    section: str,
    year: int,
    arrays: Mapping[str, str],
    memory: str,
    options: tuple[Option, ...] = (),
    machines: tuple[str, ...] = BOTH,
    benign: Mapping[str, str] | None = None,
    shared: Mapping[str, str] | None = None,
    cooperative: bool | Callable[[Mapping[str, Value]], bool] = False,
    directed: bool = True,
) -> Callable[[Driver], Technique]:
    """Turn a driver function into a `Technique`; its module's docstring begins with the idea.

    The driver's module belongs in `gpubfs/techniques`, where `techniques` finds it.
    """

    def describe(drive: Driver) -> Technique:
        about = inspect.getdoc(inspect.getmodule(drive)) or ""
        idea = " ".join(about.partition("\n\n")[0].split())
        return Technique(
            name=name,
            family=family,
            idea=idea,
            kernel=kernel,
            paper=paper,
            section=section,
            year=year,
            arrays=arrays,
            memory=memory,
            drive=drive,
            options=options,
            machines=machines,
            about=about,
            benign=dict(benign or {}),
            shared=dict(shared or {}),
            cooperative=cooperative,
            directed=directed,
        )

    return describe


@cache
def techniques() -> dict[str, Technique]:
    """All techniques by name, in the order of family and year.

    Examples
    --------
    >>> "scan-free" in techniques()
    True
    """
    found = members(DRIVERS, Technique)
    return {t.name: t for t in sorted(found, key=lambda t: (t.family, t.year, t.name))}


def members(package: str, kind: type[Kind]) -> list[Kind]:
    """What a package's modules hold of some kind."""
    found: list[Kind] = []
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, package + "."):
        held = vars(importlib.import_module(module.name)).values()
        found += [member for member in held if isinstance(member, kind)]
    return found


def find(name: str) -> Technique:
    """The technique called `name`.

    Raises
    ------
    UsageError
        If there is none; the remedy names the nearest.
    """
    known = techniques()
    spelled = str(name).replace("_", "-")
    if spelled not in known:
        raise unknown("technique", spelled, known)
    return known[spelled]


def _fitting(option: Option, warp_size: int) -> Value:
    """An option's default, on a machine with warps of this size."""
    if option.within_warp and isinstance(option.default, int):
        return min(option.default, warp_size)
    return option.default


def _check_warps(option: Option, value: Value, warp_size: int) -> None:
    if option.within_warp and isinstance(value, int) and value > warp_size:
        raise UsageError(
            f"{option.name}={value} is more than a warp, which has {warp_size} lanes here",
            f"give at most {warp_size}",
        )
    if option.whole_warps and isinstance(value, int) and value % warp_size:
        raise UsageError(
            f"{option.name}={value} is not a whole number of warps",
            f"give a multiple of {warp_size}",
        )
