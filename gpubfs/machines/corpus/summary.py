"""What came of many kernels: the accepted share, the causes of refusals, and the slowest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from gpubfs.machines.corpus.judging import Cause, Settings, Verdict
from gpubfs.machines.corpus.worker import Worker

SUFFIXES = (".cu", ".cuh", ".py")
_SLOWEST = 5


def files_in(folder: Path) -> list[Path]:
    """Return the files below a folder that may have kernels; hidden folders are left out."""
    found = sorted(file for file in folder.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    return [file for file in found if not _hidden(file.relative_to(folder)) and _may_have(file)]


def _hidden(file: Path) -> bool:
    return any(part.startswith(".") for part in file.parts)


def _may_have(file: Path) -> bool:
    """Whether a file is CUDA, or Python with the word for kernels."""
    try:
        return file.suffix != ".py" or b"__global__" in file.read_bytes()
    except OSError:
        return False


def verdicts(
    files: Sequence[Path], settings: Settings, limit: float
) -> Iterator[Sequence[Verdict]]:
    """Yield the verdicts on the kernels of each file, each of them bounded in time."""
    worker = Worker(settings, limit)
    try:
        for file in files:
            yield list(worker.verdicts(file))
    finally:
        worker.close()


@dataclass(frozen=True)
class Summary:
    """The verdicts on all kernels, counted."""

    verdicts: Sequence[Verdict]

    @property
    def counted(self) -> list[Verdict]:
        """The kernels that NVRTC accepts, all where it is not installed."""
        return [one for one in self.verdicts if one.counts]

    @property
    def accepted(self) -> int:
        """How many of these the simulator accepts."""
        return sum(one.accepted for one in self.counted)

    @property
    def causes(self) -> list[tuple[Cause, int]]:
        """Why the others are refused: the first of each message, and how many kernels it stops."""
        refused = [one.cause for one in self.counted if one.cause is not None]
        ordered = sorted(refused, key=lambda cause: cause.message)
        groups = (list(g) for _, g in groupby(ordered, key=lambda cause: cause.message))
        return sorted(((g[0], len(g)) for g in groups), key=lambda pair: -pair[1])

    @property
    def slowest(self) -> list[Verdict]:
        """The kernels that took the simulator longest."""
        return sorted(self.counted, key=lambda one: -one.seconds)[:_SLOWEST]

    def as_dict(self) -> dict[str, Any]:
        """Return the same for programs."""
        return {
            "kernels": len(self.verdicts),
            "counted": len(self.counted),
            "accepted": self.accepted,
            "causes": [
                {"message": c.message, "kernels": n, "file": c.file, "line": c.line}
                for c, n in self.causes
            ],
            "verdicts": [_verdict(one) for one in self.verdicts],
        }


def _verdict(one: Verdict) -> dict[str, Any]:
    return {
        "file": one.file,
        "line": one.line,
        "kernel": one.kernel,
        "nvrtc": {"accepts": one.nvrtc, "text": one.nvrtc_text},
        "ok": one.cause is None if one.counts else None,
        "message": one.cause.message if one.cause is not None else None,
        "seconds": round(one.seconds, 3),
    }
