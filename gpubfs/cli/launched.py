"""A kernel of any CUDA file, as options or a TOML file say that it is launched."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.steps.watching import Watched

#: The ending of the files that are launched so.
CUDA = ".cu"


@dataclass(frozen=True)
class Launched:
    """How a kernel is launched, as far as it is said on the command line.

    Attributes
    ----------
    launch : Path or None
        The TOML file that says all of it.
    kernel, grid, block : str
        The kernel's name, and sizes with commas between dimensions.
    shared : int or None
        Bytes of dynamic shared memory.
    args : sequence of str
        NAME=VALUE for each parameter of the kernel.
    """

    launch: Path | None = None
    kernel: str = ""
    grid: str = ""
    block: str = ""
    shared: int | None = None
    args: Sequence[str] = ()

    def files(self, names: Sequence[str]) -> bool:
        """Return whether what a command is given is a file to be launched.

        Raises
        ------
        UsageError
            If options for such a file are there, and none is.
        """
        if any(name.endswith(CUDA) for name in names):
            return True
        for option, value in self.given().items():
            if value:
                hint = f"name the file, such as mine{CUDA}"
                raise UsageError(f"{option} is for a CUDA file", hint)
        return False

    def given(self) -> dict[str, object]:
        """Return all of it by the options."""
        flags = {one.name: f"--{one.name}".removesuffix("s") for one in fields(self)}
        return {flag: getattr(self, name) for name, flag in flags.items()}

    def watched(self, names: Sequence[str], device: str | None, schedule: str | None) -> Watched:
        """Return the launch of the one file that is named, to be watched."""
        from gpubfs.grading.steps.launch_file import launched, read

        if len(names) > 1:
            raise UsageError("a CUDA file is launched alone", "name one file, and no technique")
        file = Path(names[0])
        if not file.is_file():
            raise UsageError(f"there is no file {file}", f"name a {CUDA} file")
        if self.launch is None:
            return launched(file, self._described(file), "the command line", device, schedule)
        if sum(map(bool, self.given().values())) > 1:
            hint = f"write all of it into {self.launch}, or leave out --launch"
            raise UsageError("--launch says already how the kernel is launched", hint)
        return launched(file, read(self.launch), str(self.launch), device, schedule)

    def _described(self, file: Path) -> dict[str, Any]:
        """Return what options say, as a TOML file would."""
        for name in ("kernel", "grid", "block"):
            if not getattr(self, name):
                hint = f"add --launch FILE.toml, or --{name}; see gpubfs trace --help"
                raise UsageError(f"nothing says the {name} that {file} is launched with", hint)
        sizes = {name: _value(name, f"[{getattr(self, name)}]") for name in ("grid", "block")}
        made = {"kernel": self.kernel, **sizes, "arguments": dict(map(_argument, self.args))}
        return made if self.shared is None else made | {"shared": self.shared}


def _argument(pair: str) -> tuple[str, Any]:
    """Return the name and the value of an argument: TOML, or FILL:SHAPE for an array.

    >>> _argument("n=3"), _argument("a=[1, 2]"), _argument("b=arange:8")
    (('n', 3), ('a', [1, 2]), ('b', {'shape': [8], 'fill': 'arange'}))
    """
    name, equals, value = pair.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"--arg {pair} is no argument", "write NAME=VALUE, such as n=3")
    fill, colon, shape = value.partition(":")
    if not colon:
        return name, _value(f"arg {name}", value)
    sizes = {"shape": _value(f"arg {name}", f"[{shape}]")}
    if fill == "empty":
        return name, sizes
    return name, sizes | {"fill": fill if fill == "arange" else _value(f"arg {name}", fill)}


def _value(option: str, text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        hint = "write a number, a list [1, 2, 3], or arange:8, 0:8 or empty:8 for an array"
        raise UsageError(f"--{option}: {text.strip('[]')!r} cannot be read", hint) from None


def launched_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a CUDA file is launched; the command gets `launched`."""
    names = [one.name for one in fields(Launched)]

    @wraps(command)
    def called(*others: Any, **more: Any) -> Any:
        own = {name: more.pop(name) for name in names}
        return command(*others, launched=Launched(**own), **more)

    made: Callable[..., Any] = called
    for one in reversed(list(_options())):
        made = one(made)
    return made


def _options() -> Iterator[Callable[..., Any]]:
    file = click.Path(path_type=Path, exists=True, dir_okay=False)
    words = "How a CUDA file is launched: a TOML file with kernel, grid, block and arguments."
    yield click.option("--launch", type=file, metavar="FILE.toml", help=words)
    words = "Or without such a file: the kernel's name."
    yield click.option("--kernel", default="", metavar="NAME", help=words)
    for name, what in (("grid", "Blocks"), ("block", "Threads a block")):
        words = f"{what}, such as 4, or 4,2 along x and y."
        yield click.option(f"--{name}", default="", metavar="SIZE", help=words)
    words = "Bytes of dynamic shared memory."
    yield click.option("--shared", type=click.IntRange(0), metavar="BYTES", help=words)
    words = (
        "A parameter of the kernel: n=3, a=[1,2,3], or an array of a shape, a=arange:64, a=0:64 "
        "and a=empty:64; repeated for each."
    )
    yield click.option("--arg", "args", multiple=True, metavar="NAME=VALUE", help=words)
