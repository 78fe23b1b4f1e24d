"""Finds what modules describe: those of a package, of what is installed beside it, or one file.

A module that is broken is told, and left out.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from gpubfs.errors import ModuleWarning, UsageError

Kind = TypeVar("Kind")


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


@dataclass(frozen=True)
class Found(Generic[Kind]):
    """What modules hold of one kind, and the modules that are broken."""

    members: tuple[Kind, ...]
    broken: tuple[Broken, ...]


class Catalogue(dict[str, Kind]):
    """What was found, by name; `broken` are the modules that were left out."""

    broken: tuple[Broken, ...] = ()

    def problem(self, name: str) -> UsageError | None:
        """Why what is called `name` is not here, if its module is broken."""
        return next((one.problem for one in self.broken if one.stands_for(name)), None)


def discover(
    package: str,
    kind: type[Kind],
    name_of: Callable[[Kind], str],
    check: Callable[[Kind], None] = lambda member: None,
    expected: bool = False,
    group: str = "",
) -> Found[Kind]:
    """Return what a package's modules, and those of its folders, hold of some kind.

    There is a warning for each module that is broken.

    Parameters
    ----------
    package : str
        The package's name.
    kind : type
        What is looked for.
    name_of : callable
        What a member is called; two of one name cannot be told apart.
    check : callable
        Raises UsageError for a member that cannot be used.
    expected : bool
        Whether every module must hold something, unless it is a folder or its name begins with an
        underscore.
    group : str
        Entry points whose values are modules of other packages; none by default.
    """
    known: dict[str, tuple[Kind, str]] = {}
    broken: list[Broken] = []
    lost: list[str] = []
    installed = ((point.value, True) for point in entry_points(group=group))
    for name, leaf in (*_modules(package), *(installed if group else ())):
        if any(name.startswith(f"{folder}.") for folder in lost):
            continue  # it is told of the folder
        own: list[Kind] = []
        try:
            own += _members(name, kind)
            if expected and leaf and not own and not name.rpartition(".")[2].startswith("_"):
                raise _nothing(kind)
            _check(own, known, name_of, check)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # exits, and what skips a test module, are no Exceptions
            lost.append(name)
            named = tuple(map(name_of, own))
            broken.append(Broken(name.rpartition(".")[2], named, _problem(_file(name), error)))
            continue
        known |= {name_of(member): (member, name) for member in own}
    for one in broken:
        warnings.warn(ModuleWarning(one.problem), stacklevel=2)
    return Found(tuple(member for member, _ in known.values()), tuple(broken))


def load(path: Path, kind: type[Kind]) -> list[Kind]:
    """Return what one Python file holds of some kind; the file is run anew each time.

    Raises
    ------
    UsageError
        If there is no such file, or it cannot be run.
    """
    path = path.absolute()
    if not path.is_file():
        raise UsageError(f"there is no file {path}", "give the path of a Python file")
    name = f"{path.stem}_{zlib.crc32(os.fsencode(path)):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _problem(str(path), error) from None
    return _held(module, kind)


def _modules(package: str) -> Iterator[tuple[str, bool]]:
    """Yield the modules of a package and its folders, and of each whether it is no folder."""
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


def _members(name: str, kind: type[Kind]) -> list[Kind]:
    """Return the members that a module holds, each once, whatever else it calls them."""
    return _held(importlib.import_module(name), kind)


def _held(module: ModuleType, kind: type[Kind]) -> list[Kind]:
    held = vars(module).values()
    return list({id(member): member for member in held if isinstance(member, kind)}.values())


def _check(
    own: list[Kind],
    known: dict[str, tuple[Kind, str]],
    name_of: Callable[[Kind], str],
    check: Callable[[Kind], None],
) -> None:
    seen: dict[str, Kind] = {}
    for member in own:
        name = name_of(member)
        before, where = known.get(name, (member, ""))
        if before is not member or name in seen:
            raise UsageError(
                f"the field name is {name!r}, as it is in {_file(where) if where else 'it before'}",
                "give each a name of its own",
            )
        seen[name] = member
        check(member)


def _nothing(kind: type) -> UsageError:
    what = kind.__name__
    return UsageError(
        f"the module describes no {what.lower()}",
        f"decorate its driver with @{what.lower()}(…), or begin the file's name with an underscore",
    )


def _file(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return str(spec.origin) if spec and spec.origin else name


def _problem(file: str, error: BaseException) -> UsageError:
    """Return the error that names the file and the line."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    location = f"{file}:{lines[-1]}" if lines else file
    if isinstance(error, SyntaxError):
        if os.path.isfile(error.filename or ""):  # what is given to eval is in none
            location = f"{error.filename}:{error.lineno}"
        return UsageError(f"{location}: {error.msg or 'SyntaxError'}", "mend the file's Python")
    if isinstance(error, UsageError):
        return UsageError(f"{location}: {error.message}", error.hint)
    if isinstance(error, ImportError):
        return UsageError(f"{location}: {error}", "install it, or mend the import")
    text = _said(error)
    fields = re.findall(r"'(\w+)'", text)
    if isinstance(error, TypeError) and "missing" in text and fields:
        noun, verb = ("field", "is") if len(fields) == 1 else ("fields", "are")
        missing = f"the {noun} {', '.join(fields)} {verb} missing"
        hint = ", ".join(f"{field}=…" for field in fields)
        return UsageError(f"{location}: {missing}", f"give {hint}")
    if isinstance(error, TypeError) and "unexpected keyword" in text and fields:
        return UsageError(f"{location}: there is no field {fields[0]}", "leave it out")
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return UsageError(f"{location}: {message}", "mend the file")


def _said(error: BaseException) -> str:
    """Return what an exception says, in one line; nothing if even that fails."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""
