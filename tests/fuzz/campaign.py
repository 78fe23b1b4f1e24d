"""Many seeds on some machines: what each made of them, and the records that machines exchange."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.generate import program
from tests.fuzz.run import Outcome, attempt, expected, machines
from tests.fuzz.shrink import Shrinker, differs_alike
from tests.reference.expressions import OutOfFuelError
from tests.reference.threads import StuckError


@dataclass
class Result:
    """What the machines made of a seed: digests, and differences by machine's name."""

    seed: int
    job: str
    memory: str = ""
    differences: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Campaign:
    """What to do with every seed.

    Without the `oracle` all machines are compared with the first.
    """

    names: tuple[str, ...]
    oracle: bool = True

    def check(self, seed: int) -> Result:
        """Run one seed everywhere."""
        made = program(seed)
        job = made.job()
        result = Result(seed, job.digest)
        try:
            right = expected(made) if self.oracle else None
        except (AssertionError, StuckError) as problem:
            result.differences["oracle"] = f"the program is wrong: {problem}"
            return result
        except OutOfFuelError:
            return result
        for name, machine in machines(list(self.names)).items():
            found = attempt(machine, job)
            right = right or found
            if different := self.difference(found, right):
                result.differences[name] = different
        result.memory = right.digest if right else ""
        return result

    @staticmethod
    def difference(found: Outcome, right: Outcome) -> str:
        return found.problem if found is right else found.against(right)

    def results(self, seeds: range, processes: int) -> Iterator[Result]:
        """All seeds, in their order."""
        if processes < 2:
            yield from map(self.check, seeds)
            return
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            yield from pool.map(self.check, seeds, chunksize=4)


def source(seed: int, name: str, seconds: float) -> str:
    """A seed's program as a .cu file.

    With some `seconds`, it is the smallest on which the machine goes wrong as on the seed's own.
    """
    made, machine = program(seed), machines([name])[name]
    if seconds:
        shrinker = Shrinker(differs_alike(made, machine), seconds)
        made = shrinker.shrink(made) if shrinker.shows(made) else made
    return made.job().file(expected(made).digest)


def record(path: Path, results: list[Result]) -> None:
    """Write what seeds gave, for another machine to compare with."""
    good = [r for r in results if r.memory and not r.differences]
    lines = [f'"{r.seed}": {json.dumps([r.job, r.memory])}' for r in good]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def recorded(path: Path) -> dict[int, tuple[str, str]]:
    """The digests of job and memory by seed."""
    pairs = json.loads(path.read_text(encoding="utf-8"))
    return {int(seed): (job, memory) for seed, (job, memory) in pairs.items()}


def compare(result: Result, known: dict[int, tuple[str, str]]) -> None:
    """Add to a result how it differs from what another machine recorded."""
    if not result.memory or result.seed not in known:
        return
    job, memory = known[result.seed]
    if job != result.job:
        result.differences["record"] = "the seed gives another program than the one recorded"
    elif memory != result.memory:
        result.differences["record"] = f"memory is {result.memory}, recorded was {memory}"
