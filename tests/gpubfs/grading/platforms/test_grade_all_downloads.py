"""From a download of Canvas's to a table for Canvas: `grade-all`, then `marks`."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpubfs.cli.main import group
from gpubfs.grading.cohort import grading as cohort
from gpubfs.grading.cohort.packing import Packed
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Grade, Outcome
from gpubfs.grading.platforms.marks import read_marks
from gpubfs.grading.processes.sandbox import SECRET

FOLDER = Path(__file__).parents[4] / "lessons" / "00-warp" / "exercises" / "reverse"
EXERCISE = load(FOLDER)


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A download, of which everything gets all points without being graded."""

    def fake(packed: Packed) -> dict[str, Any]:
        outcomes = tuple(Outcome(case.name, case.points, case.hidden) for case in EXERCISE.cases)
        return Grade(EXERCISE.name, EXERCISE.title, packed.name, outcomes).as_dict()

    monkeypatch.setattr(cohort, "grade_packed", fake)
    monkeypatch.setenv(SECRET, "s")
    folder = tmp_path / "download"
    folder.mkdir()
    (folder / "lovelaceada_12345_67890_reverse (1).cu").write_text("// mine", "utf-8")
    (folder / "mullerzoe_LATE_12346_67891_revers.cu").write_text("// mine", "utf-8")
    os.utime(folder / "lovelaceada_12345_67890_reverse (1).cu", (1e9, 1e9))
    return folder


def test_from_a_download_to_an_upload(there: Path) -> None:
    to, out = there.parent / "to", there.parent / "out.csv"
    command = ["grade-all", str(there), "--exercise", str(FOLDER), "--to", str(to)]
    result = CliRunner().invoke(group, command)
    assert result.exit_code == 0
    assert "revers.cu" in result.output  # taken for no exercise
    assert "nothing was found of these" in result.output
    found = read_marks(to)
    assert found.points == {EXERCISE.name: 10}
    ada = found.students["lovelaceada_12345"][EXERCISE.name]
    assert ada.got == 10
    assert ada.time is not None
    assert ada.time.timestamp() == 1e9
    assert found.students["mullerzoe_12346"][EXERCISE.name].got is None
    export = there.parent / "export.csv"
    export.write_text(
        "Student,ID,Section,reverse (9)\n    Points Possible,,,10\n"
        '"Lovelace, Ada",12345,One,\n"Müller, Zoë",12346,One,4\n',
        "utf-8",
    )
    command = ["marks", str(to), "--canvas", str(export), "--column", "reverse", "--to", str(out)]
    assert CliRunner().invoke(group, command).exit_code == 0
    rows = list(csv.reader(out.read_text("utf-8").splitlines()))
    assert [row[3] for row in rows] == ["reverse (9)", "10", "10", "4"]
