"""What grading needs is imported once, by the process that is forked, and not by each copy."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gpubfs.grading.exercise import Exercise
from tests.lessons.submitted import EXERCISES
from tests.sampling import sampled

SCRIPT = """
import json, os, sys
from pathlib import Path
from gpubfs.grading.loading import load
from gpubfs.grading.processes import forkserver, worker

worker.keep_off_the_disk()
forkserver.warm_up(worker.SLOW)
before = set(sys.modules)
for folder in sys.argv[1:]:
    child = os.fork()
    if not child:
        exercise = load(Path(folder))
        names = [case.name for case in exercise.cases]
        done = worker.outcomes(exercise, exercise.solution, names, "a")
        lost = [one.case for one in done if one.failure]
        print(json.dumps([exercise.name, lost, sorted(set(sys.modules) - before)]), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(1)
"""
SOLVED = [exercise for exercise in EXERCISES if exercise.solution.exists()]
#: Those of one process, which is warm once for all of them.
TOGETHER = [SOLVED[first::12] for first in range(12)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
@pytest.mark.parametrize(
    "exercises", sampled(TOGETHER, 12), ids=lambda exercises: f"from {exercises[0].name}"
)
def test_grading_imports_nothing_more(exercises: list[Exercise]) -> None:
    folders = [str(exercise.folder) for exercise in exercises]
    command = [sys.executable, "-c", SCRIPT, *folders]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert found == [[exercise.name, [], []] for exercise in exercises]
