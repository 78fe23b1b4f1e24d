"""A profile by samples: which part of the project a process is in, a thousand times a second."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
#: The parts of the page, by the folders that they are made of; generated code has no file.
PARTS = {
    "kernel": ("simulator/lanes", "simulator/builtins"),
    "counting": ("simulator/observe",),
    "execution": ("simulator/execute",),
    "launching": ("simulator/host", "simulator/program", "simulator/compile", "gpubfs"),
}
#: Seconds of CPU time between two samples; systems may take longer.
EVERY = 0.001


def part_of(frame: FrameType | None) -> str:
    """Return the part that a frame is in, or who has called it from the project; "" for nobody."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<") and " compiled from " in name:
            return "kernel"
        if name.startswith(f"{ROOT}/"):
            file = name[len(f"{ROOT}/") :]
            for part, folders in PARTS.items():
                if any(file.startswith(f"{folder}/") for folder in folders):
                    return part
        frame = frame.f_back
    return ""


@contextmanager
def sampled() -> Iterator[Counter[str]]:
    """Count samples by part while the context lasts."""
    found: Counter[str] = Counter()
    before = signal.signal(signal.SIGPROF, lambda _, frame: found.update([part_of(frame)]))
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield found
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def profile(work: Callable[[], object], seconds: float) -> tuple[float, Counter[str]]:
    """Do work again and again for so many seconds of CPU time.

    Returns
    -------
    float
        CPU seconds of the quickest time that it was done, of two at least.
    Counter
        The samples of all times but the first.
    """
    work()
    least, begun = float("inf"), time.process_time()
    with sampled() as found:
        while True:
            before = time.process_time()
            work()
            least = min(least, time.process_time() - before)
            if time.process_time() - begun >= seconds:
                return least, found
