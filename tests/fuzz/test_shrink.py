"""The shrinker: it keeps what it is asked to keep, little else, and no race comes in."""

from __future__ import annotations

import json
import re
from copy import deepcopy

import pytest

from tests.fuzz import __main__ as command
from tests.fuzz.edits import PASSES, valid
from tests.fuzz.generate import program
from tests.fuzz.run import on_simulator
from tests.fuzz.shrink import Shrinker, differs_alike, size
from tests.reference.job import Job, Memory, difference, digest
from tests.reference.program import Program
from tests.reference.threads import Oracle
from tests.sampling import sampled


def with_text(pattern: str) -> Program:
    """The first seed's program that has some text."""
    return next(p for p in map(program, range(200)) if re.search(pattern, p.text()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", [r"__syncwarp", r"atomicCAS\(&cl", r"&& .* \? ", r"continue;", r"__device__"]
)
def test_what_is_planted_stays_and_little_else(pattern: str) -> None:
    made = with_text(pattern)
    before = made.text()
    small = Shrinker(lambda p: bool(re.search(pattern, p.text())), 20).shrink(made)
    assert re.search(pattern, small.text())
    assert len(small.text()) < max(900, len(before) // 5)
    assert valid(small)
    assert made.text() == before


def test_what_is_shrunk_runs_everywhere_alike() -> None:
    made = with_text(r"atomicMax\(&a")
    small = Shrinker(lambda p: "atomicMax(&a" in p.text(), 20).shrink(made)
    assert difference(Oracle(small).run(), on_simulator(small.job(), "random:3")) == ""


@pytest.mark.slow
def test_a_machine_that_is_wrong_about_one_thing_is_shown_that_thing() -> None:
    def wrong(job: Job) -> Memory:
        memory = on_simulator(job)
        extra = int("atomicMin" in job.text)
        return {name: values + values.dtype.type(extra) for name, values in memory.items()}

    made = with_text("atomicMin")
    small = Shrinker(differs_alike(made, wrong), 60).shrink(made)
    assert "atomicMin" in small.text()
    assert size(small) < size(made) / 3


def test_a_program_that_shows_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="does not show"):
        Shrinker(lambda _: False).shrink(program(0))


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled([4, 9, 12], 3))
def test_no_edit_lets_a_race_in(seed: int) -> None:
    made, ran = program(seed), 0
    for one in PASSES:
        edits = list(one(made))
        for edit in edits[:: max(1, len(edits) // 3)]:
            candidate = deepcopy(made)
            edit(candidate)
            if valid(candidate):
                up, down = (Oracle(candidate, way).run() for way in (False, True))
                assert difference(up, down) == "", candidate.text()
                ran += 1
    assert ran > 5


@pytest.mark.slow
def test_the_command_compares_with_a_record(tmp_path, capsys) -> None:
    path = tmp_path / "digests.json"
    assert command.main(["--seeds", "0:2", "--record", str(path)]) == 0
    assert command.main(["--seeds", "0:2", "--schedules", "warp", "--against", str(path)]) == 0
    known = json.loads(path.read_text())
    known["1"][1] = "feed"
    path.write_text(json.dumps(known))
    assert command.main(["--seeds", "0:2", "--schedules", "warp", "--against", str(path)]) == 1
    assert "seed 1, record: memory is" in capsys.readouterr().out


@pytest.mark.slow
def test_the_command_writes_what_differs(tmp_path, monkeypatch, capsys) -> None:
    def wrong(job: Job, schedule: str = "lockstep") -> Memory:
        return {
            name: values + values.dtype.type(1)
            for name, values in on_simulator(job, schedule).items()
        }

    monkeypatch.setattr("tests.fuzz.run.on_simulator", wrong)
    given = ["--seeds", "4", "--schedules", "warp", "--shrink", "--out", str(tmp_path)]
    assert command.main(given) == 1
    job, memory = Job.of_file((tmp_path / "seed-4-warp.cu").read_text())
    assert digest(on_simulator(job)) == memory
    assert "seed 4, warp" in capsys.readouterr().out
