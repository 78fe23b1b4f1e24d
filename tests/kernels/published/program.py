"""The text of a case: a kernel of a file alone with what it needs, in a folder of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from gpubfs.machines.corpus.declarations import Declaration
from gpubfs.machines.corpus.device_part import DeviceProgram
from gpubfs.machines.corpus.judging import C_HEADERS, PLAIN, Settings, programs
from gpubfs.machines.corpus.words import names_in
from tests.kernels.published.case import Case, Run

#: Folders between a text and the root of its own, so that `#include "../../a.h"` stays inside.
_DEEP = "a/b/c/d/e/f/g/h"


class NotFoundError(Exception):
    """A source, a file or a kernel that is not below the folder given."""


@dataclass(frozen=True)
class Text:
    """A text with its headers, ready for either compiler.

    Attributes
    ----------
    text : str
        The kernels with what they need.
    headers : dict
        Its headers by the names that it includes them by.
    instances : tuple of str
        The kernels that are launched, as they are named.
    """

    text: str
    headers: dict[str, str]
    instances: tuple[str, ...]
    defines: tuple[str, ...]
    default_device: bool

    def options(self, folder: Path) -> tuple[str, ...]:
        """Write the headers below a folder and return the simulator's options."""
        deep = folder / _DEEP
        for name, text in self.headers.items():
            file = deep / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        deep.mkdir(parents=True, exist_ok=True)
        device = ("-default-device",) if self.default_device else ()
        return (
            f"-I{deep}",
            f"-I{folder}",
            "-std=c++17",
            *(f"-D{one}" for one in self.defines),
            *device,
        )

    def for_nvrtc(self) -> Text:
        """Return it with what NVRTC does not bring."""
        known = {**PLAIN, "M_PI": "3.14159265358979323846"}
        plain = (f"{name}={value}" for name, value in known.items() if name in self.text)
        headers = {**C_HEADERS, **self.headers}
        return replace(self, headers=headers, defines=(*self.defines, *plain))


def text_of(case: Case, run: Run, folder: Path) -> Text:
    """Return the text of a case.

    Raises
    ------
    NotFoundError
        If it is not there.
    """
    root = folder / case.source
    file = root / case.file
    if not file.is_file():
        raise NotFoundError(f"there is no {case.source}/{case.file}")
    settings = Settings(folders=tuple(root / one for one in case.folders))
    wanted = [_base(case.instance), *(_base(one.kernel) for one in run.launches if one.kernel)]
    found = [
        (program, kernel)
        for program in _programs(file, settings, tuple(case.replaced.items()))
        for kernel in program.kernels
        if kernel.name == wanted[0]
    ]
    if case.number >= len(found):
        raise NotFoundError(f"there is no kernel {case.kernel} in {case.source}/{case.file}")
    program, first = found[case.number]
    instances = dict.fromkeys(one.kernel or case.instance for one in run.launches)
    names = names_in(" ".join(instances))
    text, headers = program.of([first, *_others(program, wanted[1:], first)], names)
    return Text(text, headers, tuple(instances), case.defines, program.default_device)


@lru_cache(maxsize=4)
def _programs(
    file: Path, settings: Settings, replaced: tuple[tuple[str, str], ...]
) -> tuple[DeviceProgram, ...]:
    """Return the programs in a file, which the next cases ask for again."""
    found = []
    for program in programs(file, settings):
        text = program.text
        for old, new in replaced:
            text = text.replace(old, new)
        found.append(replace(program, text=text))
    return tuple(found)


def _others(program: DeviceProgram, names: list[str], first: Declaration) -> list[Declaration]:
    missing = sorted(set(names) - {kernel.name for kernel in program.kernels})
    if missing:
        raise NotFoundError(f"there is no kernel {missing[0]} beside {first.name}")
    return [kernel for kernel in program.kernels if kernel.name in names and kernel is not first]


def _base(instance: str) -> str:
    """Return a kernel's name without template arguments and namespaces."""
    return re.split(r"[<]", instance)[0].split("::")[-1]
