"""The device's part of a CUDA file: the host's is replaced by blanks, so that lines stay theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gpubfs.machines.corpus.declarations import Declaration, declarations, members
from simulator.hints.foreign import HOST_HEADERS
from simulator.read.headers import is_standard

_DEVICE = frozenset(["__global__", "__device__", "__constant__", "__managed__"])
_CONSTANT = frozenset(["const", "constexpr"])
_MOST_FILES = 200
_MOST_CHARACTERS = 4_000_000
_SCREENED = re.compile(r"[^\r\n]")
_LAUNCH = re.compile(r"(\w+)\s*(?:<[^<>;]*>\s*)?<<<")
#: Headers that have nothing for kernels, though NVRTC finds some of them.
_OF_HOST = re.compile(
    r"cufft.*|cusparse.*|cusolver.*|curand\.h|nvToolsExt.*|nvrtc\.h|thrust/(?!complex\.h).*"
)


@dataclass
class Part:
    """One file of a program: its text and its declarations."""

    name: str
    text: str
    folder: Path
    #: The functions of structures that are not for the device, by the structures' `id`.
    host_members: dict[int, list[Declaration]] = field(default_factory=dict)

    @cached_property
    def declared(self) -> list[Declaration]:
        """What it declares."""
        return declarations(self.text)

    def blanked(self, kept: set[int]) -> str:
        """Return the text without the declarations that are not kept, named by their `id`."""
        pieces, at = [], 0
        for one in self._removed(kept):
            if one.start >= at:
                pieces += [self.text[at : one.start], self._screened(one, kept)]
                at = one.end
        return "".join([*pieces, self.text[at:]])

    def _removed(self, kept: set[int]) -> Iterator[Declaration]:
        for one in self.declared:
            if id(one) not in kept:
                yield one
            else:
                yield from self.host_members.get(id(one), ())

    def _screened(self, one: Declaration, kept: set[int]) -> str:
        """Return a declaration as blanks, but for the directives in it that are kept."""
        inside = (d for d in self.declared if one.start < d.start < one.end and id(d) in kept)
        pieces, at = [], one.start
        for directive in inside:
            if directive.kind == "pragma":
                continue
            pieces += [_SCREENED.sub(" ", self.text[at : directive.start])]
            pieces += [self.text[directive.start : directive.end]]
            at = directive.end
        return "".join([*pieces, _SCREENED.sub(" ", self.text[at : one.end])])


@dataclass
class DeviceProgram:
    """A file and what it includes of its project.

    Parameters
    ----------
    text, name, folder
        the file, and where it stands
    folders
        where headers are looked for that are not beside it
    default_device
        whether functions without `__device__` are the device's, as CuPy has it
    """

    text: str
    name: str
    folder: Path
    folders: Sequence[Path] = ()
    default_device: bool = False
    missing: set[str] = field(default_factory=set)

    @cached_property
    def _main(self) -> Part:
        return Part(self.name, self.text, self.folder)

    @cached_property
    def _headers(self) -> dict[str, Part]:
        """The headers of the project, by the names that `#include` calls them."""
        found: dict[str, Part] = {}
        waiting = [self._main]
        while waiting:
            part = waiting.pop()
            for one in part.declared:
                name = one.name if one.kind == "include" else ""
                if not name or name in found or is_standard(name) or len(found) >= _MOST_FILES:
                    continue
                file = self._file(name, part.folder)
                if file is not None:
                    found[name] = Part(name, _readable(file), file.parent)
                    waiting.append(found[name])
        return found

    def _file(self, name: str, beside: Path) -> Path | None:
        if "\0" in name:
            return None
        candidates = (folder / name for folder in (beside, *self.folders))
        return next((file for file in candidates if file.is_file()), None)

    @cached_property
    def _parts(self) -> list[Part]:
        return [self._main, *self._headers.values()]

    @cached_property
    def _all(self) -> list[Declaration]:
        return [one for part in self._parts for one in part.declared]

    @cached_property
    def _macros(self) -> Mapping[str, frozenset[str]]:
        """What the macros stand for, all of their words, macros in them expanded."""
        bodies: dict[str, frozenset[str]] = {}
        for one in self._all:
            if one.kind == "define":
                bodies[one.name] = bodies.get(one.name, frozenset()) | one.uses
        return {name: _expanded(body, bodies) for name, body in bodies.items()}

    def _with_macros(self, names: Iterable[str]) -> set[str]:
        found = set(names)
        for name in list(found):
            found |= self._macros.get(name, frozenset())
        return found

    @cached_property
    def kernels(self) -> list[Declaration]:
        """The definitions of kernels in the file itself."""
        return [one for one in self._main.declared if self._is_kernel(one)]

    def _is_kernel(self, one: Declaration) -> bool:
        shaped = (one.kind == "function" and one.body) or one.kind == "call"
        return shaped and "__global__" in self._with_macros(one.head)

    def _of_device(self, one: Declaration) -> bool:
        """Whether a declaration is one that device code can use."""
        words = self._with_macros(one.head)
        if words & _DEVICE:
            return True
        if one.kind in ("function", "call"):
            return self.default_device
        if one.kind == "variable":
            return bool(_CONSTANT & words) or "__shared__" in words or self.default_device
        return one.kind == "type"

    def of(
        self, roots: Sequence[Declaration], names: Iterable[str] = ()
    ) -> tuple[str, dict[str, str]]:
        """Return the text with what some kernels and names need, and the like of its headers."""
        if not any(part.host_members for part in self._parts):
            self._set_members_aside()
        kept = {id(one) for one in self._all if self._always(one)} | {id(one) for one in roots}
        needed = self._with_macros(names)
        for one in roots:
            needed |= self._with_macros(one.uses)
        candidates = [one for one in self._all if id(one) not in kept and self._eligible(one)]
        while found := [one for one in candidates if self._wanted(one, needed)]:
            kept |= {id(one) for one in found}
            for one in found:
                needed |= self._with_macros(self._used(one))
            candidates = [one for one in candidates if id(one) not in kept]
        headers = {name: part.blanked(kept) for name, part in self._headers.items()}
        return self._main.blanked(kept), headers

    def _set_members_aside(self) -> None:
        for part in self._parts:
            for one in part.declared:
                if one.kind == "type" and not self.default_device:
                    host = [m for m in members(one) if self._of_host(m)]
                    part.host_members.update({id(one): host} if host else {})

    def _of_host(self, member: Declaration) -> bool:
        """Whether a member is a function of the host's; what is defaulted is of both."""
        defaulted = not member.body and member.uses & {"default", "delete"}
        return (
            member.kind == "function"
            and not defaulted
            and not self._with_macros(member.head) & _DEVICE
        )

    def _used(self, one: Declaration) -> frozenset[str]:
        """Return the words of a declaration, without those of members that are set aside."""
        host = {
            id(word)
            for part in self._parts
            for m in part.host_members.get(id(one), ())
            for word in m.words
        }
        if not host:
            return one.uses
        return frozenset(w.text for w in one.words if w.kind == "word" and id(w) not in host)

    def _eligible(self, one: Declaration) -> bool:
        launched = bool(one.names & self._launched)
        return self._of_device(one) and (launched or not self._is_kernel(one))

    @cached_property
    def _launched(self) -> frozenset[str]:
        """The kernels that kernels and functions of the device launch."""
        found: set[str] = set()
        for part in self._parts:
            for one in part.declared:
                if one.body and one.kind == "function" and self._of_device(one):
                    found |= set(_LAUNCH.findall(part.text[one.start : one.end]))
        return frozenset(found)

    def _wanted(self, one: Declaration, needed: set[str]) -> bool:
        if "operator" in one.names:
            return bool((one.uses - _DEVICE) & needed)
        return bool(one.names & needed)

    def _always(self, one: Declaration) -> bool:
        """Whether it stays whatever is needed: directives, and what names namespaces."""
        if one.kind == "include":
            return self._included(one.name)
        if one.kind == "using":
            return "std" not in one.uses
        if one.kind == "variable" and "namespace" in one.head:
            return True
        return one.kind in ("define", "conditional", "pragma", "directive")

    def _included(self, name: str) -> bool:
        if name in self._headers:
            return True
        return is_standard(name) and name not in HOST_HEADERS and not _OF_HOST.fullmatch(name)


def _expanded(body: frozenset[str], bodies: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found, waiting = set(body), list(body)
    while waiting:
        more = bodies.get(waiting.pop(), frozenset()) - found
        found |= more
        waiting += more
    return frozenset(found)


def _readable(file: Path) -> str:
    """Return a file's text, empty where it is none or too long."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""
    return text if len(text) <= _MOST_CHARACTERS else ""
