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
import json, sys
from pathlib import Path
from gpubfs.grading.loading import load
from gpubfs.grading.processes import forkserver, worker

worker.keep_off_the_disk()
forkserver.warm_up(worker.SLOW)
before = set(sys.modules)
exercise = load(Path(sys.argv[1]))
names = [case.name for case in exercise.cases]
lost = [o.case for o in worker.outcomes(exercise, exercise.solution, names, "a") if o.failure]
print(json.dumps([lost, sorted(set(sys.modules) - before)]))
"""
SOLVED = [exercise for exercise in EXERCISES if exercise.solution.exists()]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
@pytest.mark.parametrize("exercise", sampled(SOLVED, 12), ids=lambda exercise: exercise.name)
def test_grading_imports_nothing_more(exercise: Exercise) -> None:
    command = [sys.executable, "-c", SCRIPT, str(exercise.folder)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == [[], []]
