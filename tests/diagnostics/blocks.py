"""The blocks of mistakes/*.md: a program, how it is launched, and the message that it must get."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import simulator
from simulator import RawModule
from simulator.check import check
from simulator.read import read
from simulator.source import SimulatorError, Source

FOLDER = Path(__file__).parent / "mistakes"

_BLOCK = re.compile(
    r"^## (?P<title>[^\n]+)\n(?P<words>(?:(?!```)[^\n]*\n)*)"
    r"```cuda\n(?P<code>.*?)```\n"
    r"(?:\n```python\n(?P<launch>.*?)```\n)?"
    r"\n```text\n(?P<expected>.*?)\n?```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Mistake:
    """One block: `words` stand between its title and its program, `launch` is Python or empty."""

    file: Path
    title: str
    words: str
    code: str
    launch: str
    expected: str

    @property
    def cuda_accepts(self) -> bool:
        """Whether the block says that CUDA's own compiler takes the program."""
        return bool(self.launch) or "CUDA accepts" in self.words

    @property
    def cuda_refuses(self) -> bool:
        """Whether the block says that CUDA's own compiler refuses what gets a warning here."""
        return "CUDA refuses" in self.words

    def rendering(self) -> str:
        """What the simulator says of it."""
        try:
            if self.launch:
                exec(self.launch, {"cupy": simulator, "np": np, "module": self._module()})
                return ""
            program = check(read(Source(self.code, "kernel.cu"), headers={}))
        except SimulatorError as error:
            return str(error)
        return "\n".join(map(str, getattr(program, "warnings", ())))

    def _module(self) -> RawModule:
        return RawModule(code=self.code)


def mistakes(file: Path) -> Iterator[Mistake]:
    """The blocks of one file."""
    text = file.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        parts = {name: value or "" for name, value in match.groupdict().items()}
        yield Mistake(file, **parts)


def renewed(file: Path) -> str:
    """The text of a file with every expected message as it is now."""

    def renew(match: re.Match[str]) -> str:
        parts = {name: value or "" for name, value in match.groupdict().items()}
        said = Mistake(file, **parts).rendering()
        start, end = (place - match.start() for place in match.span("expected"))
        return match[0][:start] + said + match[0][end:]

    return _BLOCK.sub(renew, file.read_text(encoding="utf-8"))
