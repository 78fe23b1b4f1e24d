"""What a kernel of a public source is launched with, and what NumPy says that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
Size = int | tuple[int, ...]


@dataclass(frozen=True)
class Texture:
    """A texture, or a surface, of texels.

    Attributes
    ----------
    texels : ndarray
        Of shape (depth, height, width), the first as far as there are, and a last axis of the
        channels where `channels` is not 1.
    address : str
        What is outside: wrap, clamp, mirror or border.
    linear : bool
        Whether neighbours are mixed.
    normalized : bool
        Whether coordinates go from 0 to 1.
    as_float : bool
        Whether integers are read as fractions of the largest.
    surface : bool
        A surface, which is also written.
    memory : bool
        Linear memory, for tex1Dfetch.
    flags : int
        Of the CUDA array: 1 for layers, 4 for cubemaps.
    """

    texels: NDArray[Any]
    channels: int = 1
    address: str = "clamp"
    linear: bool = False
    normalized: bool = False
    as_float: bool = False
    surface: bool = False
    memory: bool = False
    flags: int = 0


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel; arguments are names of values, all of them where there are none.

    An empty name of a kernel means the case's own.
    """

    grid: Size
    block: Size
    kernel: str = ""
    arguments: Sequence[Any] | None = None
    shared: int = 0


@dataclass
class Run:
    """Values, launches one after another, and what they leave.

    Attributes
    ----------
    values : dict
        The arguments by names: arrays for pointers, textures, NumPy's numbers and structures; an
        int is a C int, a float a C float.
    expected : dict
        Of some of the arrays, what they hold at the end; of a longer array, its first part. Not a
        number stands for what is not looked at.
    constants : dict
        What variables of the program are set to before.
    rtol : float
        By how much floats may differ, as a part of the largest number expected; others may not.
    unordered : tuple of str
        Arrays whose elements may come in any order.
    cooperative : bool
        Whether the whole grid waits.
    """

    launches: Sequence[Launch]
    values: Mapping[str, Any]
    expected: Arrays
    constants: Arrays = field(default_factory=dict)
    rtol: float = 2e-5
    unordered: tuple[str, ...] = ()
    cooperative: bool = False


def once(
    grid: Size,
    block: Size,
    values: Mapping[str, Any],
    expected: Arrays,
    *,
    shared: int = 0,
    **more: Any,
) -> Run:
    """Return a run of one launch with all values in the order of the parameters."""
    return Run([Launch(grid, block, shared=shared)], values, expected, **more)


@dataclass(frozen=True)
class Case:
    """A kernel of a source and what makes its run.

    Attributes
    ----------
    source, file : str
        The folder of the source, and the file in it.
    kernel : str
        Its name, with template arguments; `name@1` is the second of that name in the file.
    make : callable
        Makes the run from `given`.
    defines : tuple of str
        Macros as NAME=VALUE.
    replaced : dict
        What stands in the text where a program in Python replaces something.
    wrong : str
        Why the source itself does not give what it should, where it does not: the values must
        differ, or the race checker must say why they do elsewhere.
    """

    source: str
    file: str
    kernel: str
    make: Callable[..., Run]
    given: tuple[Any, ...] = ()
    defines: tuple[str, ...] = ()
    replaced: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    wrong: str = ""

    @property
    def instance(self) -> str:
        """The name to launch: without the number."""
        name, _, rest = self.kernel.partition("@")
        return name + rest.lstrip("0123456789")

    @property
    def number(self) -> int:
        """Which of the kernels of that name in the file."""
        rest = self.kernel.partition("@")[2]
        return int(rest.partition("<")[0] or 0)

    @property
    def name(self) -> str:
        """What the case is called."""
        given = ",".join(str(value) for value in self.given if not callable(value))
        return f"{self.source}/{self.file}:{self.kernel}" + (f"({given})" if given else "")


Entry = str | tuple[Any, ...]
Maker = Callable[..., Run]


@dataclass
class Source:
    """A public source: the folder that it is in, and its cases.

    Attributes
    ----------
    name : str
        The folder's name below the one given on the command line.
    folders : tuple of str
        Folders of headers in it.
    """

    name: str
    folders: tuple[str, ...] = ()
    cases: list[Case] = field(default_factory=list)

    def runs(
        self,
        file: str,
        *entries: Entry,
        defines: Sequence[str] = (),
        replaced: Mapping[str, str] | None = None,
        wrong: Mapping[str, str] | None = None,
    ) -> Callable[[Maker], Maker]:
        """Enter a case for each kernel, or kernel and arguments, whose run a function makes."""

        def entered(make: Maker) -> Maker:
            for entry in entries:
                kernel, *given = (entry,) if isinstance(entry, str) else entry
                one = Case(self.name, file, kernel, make, tuple(given), tuple(defines))
                more = {"replaced": replaced or {}, "wrong": (wrong or {}).get(kernel, "")}
                self.cases.append(_with(one, folders=self.folders, **more))
            return make

        return entered


def _with(case: Case, **more: Any) -> Case:
    return Case(**{**vars(case), **more})


def scalar(value: Any) -> np.generic:
    """Return a number as C has it: an int of 32 bits, a float of 32 bits."""
    if isinstance(value, np.generic):
        return value
    if isinstance(value, bool):
        return np.bool_(value)
    return np.int32(value) if isinstance(value, int) else np.float32(value)
