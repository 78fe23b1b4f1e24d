"""Runs under the simulator's sanitizers: a technique's races on purpose, and what else is found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from gpubfs.arguments import text
from gpubfs.errors import UsageError
from gpubfs.machines import Machine
from gpubfs.search.technique import Technique

if TYPE_CHECKING:
    from simulator.observe.sanitizers import Finding

WANTED = 'give "all", or names such as "race,init"'


@contextmanager
def sanitized(machine: Machine, names: str, technique: Technique) -> Iterator[list[Finding]]:
    """Switch sanitizers on for what `technique` does on `machine`, which is entered already.

    Parameters
    ----------
    machine : Machine
        The simulator.
    names : str
        Sanitizers with commas between them, such as "race,init", or "all"; "" for none.
    technique : Technique
        Its `benign` arrays may see races.

    Yields
    ------
    list of Finding
        Grows by the races that are declared or harmless.

    Raises
    ------
    UsageError
        If there is no such sanitizer, or the machine has none.
    """
    if not text(names, "sanitize", WANTED):
        yield []
        return
    if machine.name != "sim":
        raise UsageError(
            f"the machine {machine.name} has no sanitizers",
            "use the machine sim; for CUDA programs there is NVIDIA's compute-sanitizer",
        )
    import simulator

    wanted = [name.strip() for name in names.split(",")]
    with ExitStack() as stack:
        try:
            report = stack.enter_context(simulator.sanitize(*wanted, allow=technique.benign))
        except simulator.SimulatorError as error:
            raise UsageError(error.message, error.hint) from None
        yield report.findings
