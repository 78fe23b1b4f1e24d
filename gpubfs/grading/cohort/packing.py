"""A submission and its exercise in one piece, which any machine with gpubfs can grade."""

from __future__ import annotations

import dataclasses
import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpubfs import __version__
from gpubfs.grading.cohort.submissions import read_beginning
from gpubfs.grading.errors import NotGradedError, describe_os_error
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.processes.sandbox import grade
from gpubfs.search.plugins import PLUGINS


@dataclass(frozen=True)
class Packed:
    """What grading needs: the exercise with its files, the submission, the secret, plugins.

    To `measure` is to tell what cases have cost, and to hold them to no limits.
    """

    exercise: Exercise
    files: dict[str, bytes]
    name: str
    content: bytes
    secret: str
    plugins: dict[str, bytes]
    measure: bool = False


def pack(exercise: Exercise, file: Path, secret: str, measure: bool = False) -> Packed:
    """Return one submission in one piece; of a file that is too long, as much as shows that it is.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    content, _ = read_beginning(file)
    files = files_of(exercise)
    return Packed(exercise, files, file.name, content, secret, plugin_files(), measure)


def plugin_files() -> dict[str, bytes]:
    """Return the texts of the plugins that have been loaded, by their paths or modules' names."""
    files = {name: module.__file__ for name, module in PLUGINS.items()}
    return {name: Path(file).read_bytes() for name, file in files.items() if file is not None}


def files_of(exercise: Exercise) -> dict[str, bytes]:
    """Return the files of an exercise."""
    return {p.name: p.read_bytes() for p in sorted(exercise.folder.iterdir()) if p.is_file()}


def grade_packed(packed: Packed) -> dict[str, Any]:
    """Grade it in a folder of its own; the grade as `Grade.as_dict` has it, without that folder.

    Raises
    ------
    NotGradedError
        If the machine fails.
    """
    try:
        return _grade(packed)
    except OSError as error:
        raise NotGradedError(describe_os_error(error)) from None


def _grade(packed: Packed) -> dict[str, Any]:
    lesson, slug = packed.exercise.name.split("/")
    with tempfile.TemporaryDirectory(prefix="gpubfs-", ignore_cleanup_errors=True) as root:
        folder = Path(root) / lesson / "exercises" / slug
        folder.mkdir(parents=True)
        for name, content in packed.files.items():
            (folder / name).write_bytes(content)
        file = Path(root) / "handed-in" / packed.name
        file.parent.mkdir()
        file.write_bytes(packed.content)
        exercise = dataclasses.replace(packed.exercise, folder=folder.resolve())
        plugins = _unpacked(packed.plugins, Path(root) / "plugins")
        found = grade(
            exercise,
            file,
            packed.secret,
            plugins=plugins,
            measure=packed.measure,
            known=_known(packed),
        )
        made = found.as_dict()
        for outcome in filter(lambda one: one["failure"], made["outcomes"]):
            outcome["failure"] = {
                part: text.replace(f"{folder}/", "") for part, text in outcome["failure"].items()
            }
    return made | {"file": packed.name}


def _known(packed: Packed) -> dict[str, float]:
    """Return what submissions that differ in nothing but their content have shown here."""
    made = hashlib.blake2b(digest_size=16)
    for part in (repr(packed.exercise), repr(packed.files), repr(packed.plugins), packed.secret):
        made.update(hashlib.blake2b(part.encode()).digest())
    return _shown_of(made.hexdigest())


@lru_cache(maxsize=256)
def _shown_of(digest: str) -> dict[str, float]:
    del digest
    return {}


def _unpacked(plugins: dict[str, bytes], folder: Path) -> list[str]:
    """Return the plugins' names: modules, files, and copies of files on another machine."""
    return [
        name
        if not name.endswith(".py") or _holds(Path(name), content)
        # Files of one name stand in different folders.
        else _written(folder / str(number) / Path(name).name, content)
        for number, (name, content) in enumerate(plugins.items())
    ]


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _written(path: Path, content: bytes) -> str:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return str(path)


#: What is read of each package.
SOURCES = {"gpubfs": ("*.py", "*.cu", "*.cuh"), "simulator": ("*.py",)}


def package_digest() -> str:
    """Return a digest of the names and texts of all sources; the version if they cannot be read."""
    made = hashlib.blake2b(digest_size=8)
    try:
        for name, path in _source_files():
            text = path.read_bytes()
            made.update(f"{name}\0{len(text)}\0".encode() + text)
    except OSError:
        return __version__
    return made.hexdigest()


def package_identity() -> str:
    """Return the version and the digest, to compare machines.

    >>> package_identity().startswith(__version__)
    True
    """
    return f"{__version__}, {package_digest()}"


def _source_files() -> Iterator[tuple[str, Path]]:
    for package, patterns in SOURCES.items():
        found = find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise FileNotFoundError(package)
        folder = Path(found.submodule_search_locations[0])
        paths = sorted(path for pattern in patterns for path in folder.rglob(pattern))
        if not paths:
            raise FileNotFoundError(folder)
        for path in paths:
            yield f"{package}/{path.relative_to(folder).as_posix()}", path
