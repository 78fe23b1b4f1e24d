"""Plugins: Python files and modules that add to this package, imported before a command runs.

A plugin is an ordinary module. What it registers (graph formats and families, observers, counters,
builtins, kinds of exercises) is there once it has been imported; techniques and experiments that it
defines are found in it by `gpubfs.search.discovery`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from gpubfs.arguments import all_or_nothing, described, said
from gpubfs.errors import ModuleWarning, UsageError, no_field
from gpubfs.search.installed import entry_points

Found = TypeVar("Found")

#: The environment variable that names plugins, and the group of entry points that do.
VARIABLE, GROUP = "GPUBFS_PLUGINS", "gpubfs.plugins"

#: The plugins that have been loaded, by their absolute path or their module's name.
PLUGINS: dict[str, ModuleType] = {}

#: The files of plugins that are just being imported, and may ask for themselves.
_LOADING: set[str] = set()

#: Entry points that cannot be loaded; each is reported once.
_REPORTED: set[str] = set()

#: What forgets the catalogues that were made without the plugins that have been loaded since.
_FORGET: list[Callable[[], None]] = []


def load_plugins(*names: str | Path) -> None:
    """Import plugins: those that are named, those of the environment, and those installed.

    What is named goes into the environment variable GPUBFS_PLUGINS, so that processes that are
    started later, as `load_plugins()` in them, have the same plugins. A plugin is imported once.

    Parameters
    ----------
    *names : str or Path
        Paths of Python files, or names of modules. GPUBFS_PLUGINS holds more of them, separated as
        in PATH; entry points of the group ``gpubfs.plugins`` name modules.

    Raises
    ------
    UsageError
        If one of those that are named, here or in the environment, cannot be imported; the message
        has its file and line. Entry points that cannot be imported are left out with a warning.
    """
    given = map(str.strip, os.environ.get(VARIABLE, "").split(os.pathsep))
    named = [*dict.fromkeys(_identified(str(name)) for name in (*names, *filter(None, given)))]
    for name in named:
        _load(name)
    if named:
        os.environ[VARIABLE] = os.pathsep.join(named)
    for point in entry_points(group=GROUP):
        try:
            _load(point.value)
        except UsageError as error:
            if point.value not in _REPORTED:
                warnings.warn(ModuleWarning(error), stacklevel=2)
            _REPORTED.add(point.value)


def until_loaded(find: Callable[[], Found]) -> Callable[[], Found]:
    """Cache what `find` returns, until another plugin is loaded."""
    cached = cache(find)
    _FORGET.append(cached.cache_clear)
    return cached


def plugin_of(code: object) -> str:
    """Return the path or name of the plugin that defines a function or class, "" if none does."""
    module = getattr(code, "__module__", None)
    return next((name for name, one in PLUGINS.items() if one.__name__ == module), "")


def plugin_in(file: str) -> str:
    """Return the path or name of the plugin whose module's file it is, "" if none's."""
    return next((name for name, one in PLUGINS.items() if one.__file__ == file), "")


def fault(error: BaseException) -> UsageError | None:
    """Return what is wrong in a plugin's own code, if that is where an error came from."""
    files = {module.__file__ for module in PLUGINS.values()}
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    file = next((name for name in reversed(frames) if name in files), None)
    return None if file is None else problem(file, error)


def run_file(path: Path) -> ModuleType:
    """Run a Python file as a module of its own, anew each time.

    Raises
    ------
    UsageError
        If there is no such file, or it cannot be run.
    """
    path = path.absolute()
    hint = "give the path of a Python file"
    if not path.exists():
        raise UsageError(f"there is no file {path}", hint)
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "give a file in it")
    if path.suffix != ".py":
        raise UsageError(f"{path} is no Python file", "give a file whose name ends in .py")
    if not path.is_file():
        raise UsageError(f"{path} is no file", hint)
    name = f"{path.stem}_{zlib.crc32(os.fsencode(path)):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # of a name that ends so
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # exits are no Exceptions
        wrong = problem(str(path), error)
        sys.modules.pop(name, None)
        raise wrong from None
    return module


def file_of(name: str) -> str:
    """Return the file of a module, or of the first package around it that can be imported."""
    while name:
        try:
            spec = importlib.util.find_spec(name)
        except BaseException:  # to find a module is to import the packages around it
            name = name.rpartition(".")[0]
        else:
            return str(spec.origin) if spec and spec.origin else name
    return name


def problem(file: str, error: BaseException) -> UsageError:
    """Return the error that names the file and the line at which a module went wrong."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    at = f"{file}:{lines[-1]}" if lines else file
    if isinstance(error, SyntaxError):
        if os.path.isfile(error.filename or ""):  # what is given to eval is in none
            at = f"{error.filename}:{error.lineno}"
        return UsageError(f"{at}: {error.msg or 'SyntaxError'}", "mend the file's Python")
    message, hint = (getattr(error, name, None) for name in ("message", "hint"))
    if isinstance(message, str) and isinstance(hint, str):  # as errors of both packages have them
        return UsageError(f"{at}: {message}", hint)
    if isinstance(error, ImportError):
        beside = Path(file).with_name(f"{(error.name or '').partition('.')[0]}.py")
        hint = "install it, or mend the import"
        if isinstance(error, ModuleNotFoundError) and beside.is_file():
            hint = f"put its folder into PYTHONPATH: {beside.parent}"
        return UsageError(f"{at}: {error}", hint)
    words = said(error)
    fields = re.findall(r"'(\w+)'", words)
    if isinstance(error, TypeError) and "missing" in words and fields:
        noun, verb = ("field", "is") if len(fields) == 1 else ("fields", "are")
        missing = f"the {noun} {', '.join(fields)} {verb} missing"
        hint = ", ".join(f"{field}=…" for field in fields)
        return UsageError(f"{at}: {missing}", f"give {hint}")
    if isinstance(error, TypeError) and "unexpected keyword" in words and fields:
        wrong = no_field(fields[0], known := _fields(words, file))
        hint = wrong.hint if known else "leave it out"
        return UsageError(f"{at}: {wrong.message}", hint)
    return UsageError(f"{at}: {described(error)}", "mend the file")


def _fields(words: str, file: str) -> list[str]:
    """Return what a function or class of the two packages takes, of whose call a TypeError tells.

    It is one of its own if a file defines another one of that name.
    """
    called = words.partition("()")[0].removesuffix(".__init__")
    modules = [*sys.modules.items()]  # some of which are no modules
    holders = [one for _, one in modules if getattr(one, "__file__", None) == file]
    holders += [one for name, one in modules if name.partition(".")[0] in ("gpubfs", "simulator")]
    found: Any = next((vars(one)[called] for one in holders if called in vars(one)), None)
    if not str(getattr(found, "__module__", "")).startswith(("gpubfs.", "simulator.")):
        return []
    parameters = inspect.signature(found).parameters.values()
    return [one.name for one in parameters if one.kind is not one.VAR_POSITIONAL]


def _is_path(name: str) -> bool:
    return name.endswith(".py") or os.sep in name or ("." in name and os.path.isfile(name))


def _identified(name: str) -> str:
    """Return the absolute path of a file, or a module's name as it is."""
    name = name.strip()
    if not name:
        hint = "give the path of a Python file, or a module's name"
        raise UsageError("the plugin has no name", hint)
    if not _is_path(name):
        return name
    path = str(Path(name).expanduser().absolute())
    if os.pathsep in path:
        hint = f"{os.pathsep!r} separates plugins in {VARIABLE}: rename the file or its folder"
        raise UsageError(f"the plugin {path} has {os.pathsep!r} in its path", hint)
    return path


def _load(name: str) -> None:
    if name in PLUGINS:
        return
    file = os.path.realpath(name if _is_path(name) else file_of(name))
    loaded = {os.path.realpath(str(one.__file__)) for one in PLUGINS.values()}
    if file in loaded | _LOADING:
        return
    _LOADING.add(file)
    try:
        with all_or_nothing():
            PLUGINS[name] = run_file(Path(name)) if _is_path(name) else _imported(name)
    finally:
        _LOADING.discard(file)
    for forget in _FORGET:
        forget()


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        found = problem(file_of(name), error)
        if isinstance(error, ModuleNotFoundError) and error.name == name:
            beside = f"{name}.py"
            hint = f"did you mean {beside}?" if os.path.isfile(beside) else found.hint
            found = UsageError(found.message, hint)
        raise found from None
