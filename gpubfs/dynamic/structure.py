"""What a structure is: its description, its options, its kernel file and its class."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

from gpubfs.arguments import Register, refuse_bare
from gpubfs.errors import UsageError, no_field, unknown
from gpubfs.kernels import KERNELS
from gpubfs.search.configurable import Configurable
from gpubfs.search.option import Option
from gpubfs.search.technique import BOTH

#: The package whose modules and folders are structures, and the folder of their kernels.
PACKAGE, FOLDER = "gpubfs.dynamic", KERNELS / "dynamic"

Made = TypeVar("Made", bound=type[Any])


@dataclass(frozen=True)
class Structure(Configurable):
    """One way to keep a graph that changes: a kernel file and the class that drives it.

    Attributes
    ----------
    name, idea, paper, section, year
        What it is called, its idea in one sentence, and where it comes from.
    make : type
        The class, a `DynamicGraph`.
    kernel : str
        Its CUDA file, beside the module or in `gpubfs/kernels/dynamic`.
    arrays : mapping
        The arrays that it allocates, and what they hold.
    options : tuple of Option
        What its user may choose.
    machines : tuple of str
        Where it runs.
    benign : mapping
        Arrays on which threads race on purpose, and why that does no harm.
    refused : mapping
        Options that it has not for a reason, and the reason.
    about : str
        The module's whole docstring.
    folder : Path
        Where the module is.
    """

    name: str
    make: type[Any] = field(repr=False)
    idea: str = ""
    paper: str = ""
    section: str = ""
    year: int | None = None
    kernel: str = ""
    arrays: Mapping[str, str] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    machines: tuple[str, ...] = BOTH
    benign: Mapping[str, str] = field(default_factory=dict, repr=False)
    refused: Mapping[str, str] = field(default_factory=dict, repr=False)
    about: str = field(default="", repr=False)
    folder: Path = field(default=FOLDER, repr=False)

    @property
    def path(self) -> Path:
        """Where the kernel file is."""
        beside = self.folder / self.kernel
        return beside if beside.exists() else FOLDER / self.kernel

    @property
    def origin(self) -> str:
        """Where it comes from, in one line; empty for what no paper describes."""
        year = "" if self.year is None else f" ({self.year})"
        return ", ".join(part for part in (f"{self.paper}{year}".strip(), self.section) if part)

    def as_dict(self) -> dict[str, object]:
        """Return everything but the code, ready for JSON."""
        names = ("name", "idea", "kernel", "paper", "section", "year", "arrays", "benign")
        return {name: getattr(self, name) for name in names} | {
            "options": [option.as_dict() for option in self.options],
            "machines": list(self.machines),
        }

    @property
    def summary(self) -> str:
        """Its idea, as lists of what plugins have added show it."""
        return self.idea


class Fields(TypedDict, total=False):
    """What a module may say of its structure besides the name, as `Structure` explains it."""

    paper: str
    section: str
    year: int | None
    kernel: str
    arrays: Mapping[str, str]
    options: tuple[Option, ...]
    machines: tuple[str, ...]
    benign: Mapping[str, str]
    refused: Mapping[str, str]


#: All structures by name; `structures` fills it.
STRUCTURES: Register[Structure] = Register("structure")


def structure(name: str, **fields: Unpack[Fields]) -> Callable[[Made], Made]:
    """Register a class as a structure; its module's docstring begins with the idea.

    Parameters
    ----------
    name : str
        What commands call it: lower-case words with hyphens between them.
    **fields
        Attributes of `Structure`, each of which can be left out: paper, section, year, kernel (by
        default the CUDA file that has the module's name), arrays, options, machines, benign,
        refused.

    Returns
    -------
    callable
        A decorator, which returns the class itself, with the description as its `structure`.

    Raises
    ------
    UsageError
        If there is no such field, the name is taken, or there is no such kernel file.
    """
    refuse_bare(name, "structure", 'structure("my-structure")')

    def register(make: Made) -> Made:
        for one in fields:
            if one not in Fields.__annotations__:
                raise no_field(one, ("name", *Fields.__annotations__))
        about = inspect.getdoc(inspect.getmodule(make)) or ""
        idea = " ".join(about.partition("\n\n")[0].split())
        file = Path(inspect.getfile(make))
        words: Fields = {"kernel": f"{file.stem}.cu", **fields}
        made = Structure(name, make, idea=idea, about=about, folder=file.parent, **words)
        if not made.path.exists():
            what = f"the field kernel is {made.kernel!r}: no file in {file.parent} or {FOLDER}"
            raise UsageError(what, "give a CUDA file")
        STRUCTURES.add(name, made, make)
        make.structure = made
        return make

    return register


@cache
def _own_modules() -> None:
    """Import the modules of the package, which register what they define."""
    paths = importlib.import_module(PACKAGE).__path__
    for module in pkgutil.walk_packages(paths, f"{PACKAGE}."):
        importlib.import_module(module.name)


def structures() -> Mapping[str, Structure]:
    """Return all structures by name: this package's, and those of plugins.

    Examples
    --------
    >>> "aimgraph" in structures()
    True
    """
    _own_modules()
    return STRUCTURES


def find(name: str) -> Structure:
    """Return the structure of that name.

    Raises
    ------
    UsageError
        If there is none, and the remedy names the nearest.
    """
    known = structures()
    if not isinstance(name, str) or name not in known:
        raise unknown("structure", name, known)
    return known[name]
