"""Programs and kernels of earlier runs, kept on disk.

A program is kept by its text, its options and all else that it was read with; what it asked for
of the folders of headers stands in its entry, and is asked again. A kernel is kept by its program
and by what it was compiled for. Where built-in functions have been added, nothing is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from simulator import cache
from simulator.ir import tree
from simulator.ir.additions import ADDED
from simulator.program.pickling import dumped, loaded

#: Whether a header is there, or a digest of its text.
Found = bool | str

_here = True


def use_disk(on: bool) -> None:
    """Say whether this process keeps and uses results on disk; by default it does.

    One that may run what somebody else wrote must not: that could change what is kept.

    Parameters
    ----------
    on : bool
        From now on.
    """
    global _here
    _here = on


def is_on() -> bool:
    """Whether results of earlier runs are used now."""
    return _here and not ADDED.rows and cache.folder() is not None and bool(cache.version())


class Recorded(Mapping[str, str]):
    """Headers, which record what has been asked of them.

    Attributes
    ----------
    asked : dict of str to bool or str
        For each name whether there is such a header, or, if it was read, a digest of its text.
    listed : bool
        Whether all their names have been asked for.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers
        self.asked: dict[str, Found] = {}
        self.listed = False

    def __getitem__(self, name: str) -> str:
        text = self._headers[name]
        self.asked[name] = digest(text)
        return text

    def __contains__(self, name: object) -> bool:
        there = name in self._headers
        self.asked.setdefault(str(name), there)
        return there

    def __iter__(self) -> Iterator[str]:
        self.listed = True
        return iter(self._headers)

    def __len__(self) -> int:
        return len(self._headers)


def digest(*parts: object) -> str:
    """Return a digest of texts, numbers, and tuples of them."""
    text = repr(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=20).hexdigest()


def kept_program(made_of: tuple[object, ...], headers: Mapping[str, str]) -> tree.Program | None:
    """Return a program that an earlier run has checked; None if it must be read.

    Parameters
    ----------
    made_of : tuple
        Its text, and all that it is read with besides headers.
    headers : mapping of str to str
        The texts of headers by name, as they are now.
    """
    body = cache.read(digest("program", cache.version(), made_of)) if is_on() else None
    match None if body is None else loaded(body):
        case (dict() as asked, tree.Program() as program) if answers_as_before(asked, headers):
            return program
    return None


def answers_as_before(asked: Mapping[str, Found], headers: Mapping[str, str]) -> bool:
    """Return whether headers say the same as when a program was read.

    Parameters
    ----------
    asked : mapping of str to bool or str
        What was asked of them, as `Recorded` has it.
    headers : mapping of str to str
        Their texts by name, as they are now.
    """
    for name, found in asked.items():
        if isinstance(found, bool):
            if (name in headers) != found:
                return False
        elif (text := headers.get(name)) is None or digest(text) != found:
            return False
    return True


def keep_program(
    program: tree.Program, made_of: tuple[object, ...], headers: Recorded
) -> tree.Program:
    """Keep a program, and return it, ready for its kernels to be kept.

    Parameters
    ----------
    program : Program
        As it was checked.
    made_of : tuple
        As for `kept_program`.
    headers : Recorded
        What it was read with.
    """
    if not is_on() or headers.listed:
        return program
    name = digest("program", cache.version(), made_of)
    whole = dumped(program)
    if whole is None:
        return program
    variables = tuple(node.symbol for node in program.variables)
    identity = digest(name, tuple(sorted(headers.asked.items())))
    program = replace(program, identity=identity, common=(*whole[1], *variables))
    body = dumped((headers.asked, program))
    if body is not None:
        cache.write(name, body[0])
    return program


def may_keep(program: tree.Program) -> bool:
    """Whether kernels of a program are kept, and looked for."""
    return bool(program.identity) and is_on()


#: The code of a kernel's function as bytes, and all else that there is to say of it.
Kernel = tuple[bytes, dict[str, Any]]


def kept_kernel(program: tree.Program, made_for: tuple[object, ...]) -> Kernel | None:
    """Return what an earlier run has kept of a kernel; None if it must be compiled.

    Parameters
    ----------
    program : Program
        Its program.
    made_for : tuple
        Its name, and what it is compiled for.
    """
    if not may_keep(program):
        return None
    body = cache.read(digest("kernel", program.identity, made_for))
    match None if body is None else loaded(body, program.common):
        case (bytes() as code, dict() as parts):
            return code, parts
    return None


def keep_kernel(program: tree.Program, made_for: tuple[object, ...], kept: Kernel) -> None:
    """Keep of a kernel what `kept_kernel` is to return.

    Parameters
    ----------
    program : Program
        Its program.
    made_for : tuple
        As for `kept_kernel`.
    kept : Kernel
        What is kept; nothing, if it has functions without names.
    """
    if not may_keep(program):
        return
    body = dumped(kept, program.common)
    if body is not None:
        cache.write(digest("kernel", program.identity, made_for), body[0])
