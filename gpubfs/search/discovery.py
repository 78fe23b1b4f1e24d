"""Finds what modules define: those of a package, those installed beside it, plugins, or one file.

A module that is broken is reported, and left out.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Generic, Protocol, TypeVar

from gpubfs.arguments import defined_at
from gpubfs.errors import ModuleWarning, UsageError, unknown
from gpubfs.search.installed import entry_points
from gpubfs.search.plugins import PLUGINS, file_of, problem, run_file


class Named(Protocol):
    """What modules define."""

    @property
    def name(self) -> str:
        """What users call it."""

    @property
    def code(self) -> Callable[..., object]:
        """The function that defines it."""


Kind = TypeVar("Kind", bound=Named)


@dataclass(frozen=True)
class Broken:
    """A module that cannot be used.

    Attributes
    ----------
    module : str
        The last part of its name.
    names : tuple of str
        What the things in it are called, as far as that is known.
    problem : UsageError
        The file, what is wrong with it, and the remedy.
    """

    module: str
    names: tuple[str, ...]
    problem: UsageError

    def stands_for(self, name: str) -> bool:
        """Whether what is called `name` is, or would be, in this module."""
        return name in self.names or name == self.module.replace("_", "-")


class Catalogue(dict[str, Kind]):
    """What was found, by name.

    Attributes
    ----------
    noun : str
        What one of them is called in messages.
    broken : list of Broken
        The modules that were left out.
    """

    def __init__(self, noun: str, members: Iterator[Kind], broken: list[Broken]) -> None:
        super().__init__((member.name, member) for member in members)
        self.noun = noun
        self.broken = broken

    def find(self, name: str) -> Kind:
        """Return the one of that name; underscores count as hyphens.

        Raises
        ------
        UsageError
            If there is none, and the remedy names the nearest; or if its module is broken.
        """
        spelled = str(name).replace("_", "-")
        if spelled in self:
            return self[spelled]
        known = (one.problem for one in self.broken if one.stands_for(spelled))
        raise next(known, None) or unknown(self.noun, spelled, self)


def discover(
    noun: str,
    package: str,
    kind: type[Kind],
    order: Callable[[Kind], tuple[object, ...]],
    check: Callable[[Kind], None] = lambda member: None,
    expected: bool = False,
    group: str = "",
) -> Catalogue[Kind]:
    """Return what the modules of a package and of its folders define, and what plugins define.

    There is a warning for each module that is broken.

    Parameters
    ----------
    noun : str
        What one is called.
    package : str
        The package's name.
    kind : type
        What is looked for; two of one name cannot be told apart.
    order : callable
        By which they are sorted.
    check : callable
        Raises UsageError for a member that cannot be used.
    expected : bool
        Whether every module must define one, unless it is a folder or its name begins with an
        underscore.
    group : str
        Entry points whose values are modules of other packages; none by default.

    Raises
    ------
    UsageError
        If a plugin cannot be used.
    """
    search = _Search(kind, check, {}, [])
    installed = ((point.value, True) for point in (entry_points(group=group) if group else ()))
    broken: list[Broken] = []
    for name, leaf in (*_modules(package), *installed):
        if any(name.startswith(f"{folder}.") for folder in search.lost):
            continue  # the folder is reported
        own: list[Kind] = []
        try:
            own += _defined(importlib.import_module(name), kind)
            if expected and leaf and not own and not name.rpartition(".")[2].startswith("_"):
                raise _nothing(kind)
            search.add(own)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # exits, and what skips a test module, are no Exceptions
            search.lost.append(name)
            names = tuple(member.name for member in own)
            broken.append(Broken(name.rpartition(".")[2], names, problem(file_of(name), error)))
    for one in broken:
        warnings.warn(ModuleWarning(one.problem), stacklevel=3)
    for module in PLUGINS.values():
        search.add(_defined(module, kind), plugin=True)
    return Catalogue(noun, iter(sorted(search.known.values(), key=order)), broken)


@dataclass
class _Search(Generic[Kind]):
    """What has been found so far, and the modules that are broken."""

    kind: type[Kind]
    check: Callable[[Kind], None]
    known: dict[str, Kind]
    lost: list[str]

    def add(self, own: list[Kind], plugin: bool = False) -> None:
        """Add the members of one module, or none if one of them cannot be used."""
        names = [member.name for member in own]
        for member in own:
            before = self.known.get(member.name, member)
            at = f"{defined_at(member.code)}: " if plugin else ""
            if before is not member or names.count(member.name) > 1:
                where = "it before" if before is member else defined_at(before.code)
                message = f"{at}the field name is {member.name!r}, as it is in {where}"
                raise UsageError(message, "give each a name of its own")
            try:
                self.check(member)
            except UsageError as error:
                raise UsageError(at + error.message, error.hint) from None
        self.known |= zip(names, own, strict=True)


def load(path: Path, kind: type[Kind]) -> list[Kind]:
    """Return what one Python file defines; the file is run anew each time.

    Raises
    ------
    UsageError
        If there is no such file, or it cannot be run.
    """
    return _defined(run_file(path), kind)


def _modules(package: str) -> Iterator[tuple[str, bool]]:
    """Yield the modules of a package and of its folders, and of each whether it is no folder."""
    seen: set[str] = set()
    for folder in filter(os.path.isdir, importlib.import_module(package).__path__):
        for name, leaf in _below(Path(folder), package):
            if name not in seen:  # Python imports the first of two
                yield name, leaf
            seen.add(name)


def _below(folder: Path, package: str) -> Iterator[tuple[str, bool]]:
    """Yield the same of one folder; of those in it, some may lack an `__init__.py`."""
    for entry in sorted(folder.iterdir()):
        name = f"{package}.{entry.stem}"
        if entry.stem.startswith("__") or not entry.stem.isidentifier():
            continue
        if entry.is_dir() and not entry.suffix:
            yield name, False
            yield from _below(entry, name)
        elif entry.suffix == ".py":
            yield name, True


def _defined(module: ModuleType, kind: type[Kind]) -> list[Kind]:
    """Return the members of a module, each once, whatever else it calls them."""
    held = vars(module).values()
    return list({id(member): member for member in held if isinstance(member, kind)}.values())


def _nothing(kind: type) -> UsageError:
    what = kind.__name__
    return UsageError(
        f"the module describes no {what.lower()}",
        f"decorate its driver with @{what.lower()}(…), or begin the file's name with an underscore",
    )
