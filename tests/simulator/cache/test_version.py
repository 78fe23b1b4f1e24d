"""What is kept holds for one state of the package's files, which no process may have missed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from simulator.cache.version import digest_of, state_of

#: Nanoseconds after which files count as unchanged.
LATER = 10_000_000_000


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    for name in ("one.py", "two.lark", "inner/three.py"):
        (folder / name).write_text("1\n")
    return folder


def digest(package: Path) -> str:
    return digest_of(state_of(str(package)), time.time_ns() + LATER)


def test_the_same_files_have_the_same_digest(package: Path) -> None:
    before = digest(package)
    assert before
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "one.pyc").write_text("")
    assert digest(package) == before


@pytest.mark.parametrize(
    "how", ["size", "time", "added", "removed", "renamed", "replaced", "moved"]
)
def test_files_that_change_have_another_digest(package: Path, how: str) -> None:
    before, file = digest(package), package / "inner" / "three.py"
    status = file.stat()
    if how == "size":
        file.write_text("22\n")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    if how == "time":
        os.utime(file, ns=(1, 1))
    if how == "added":
        (package / "four.py").write_text("")
    if how == "removed":
        file.unlink()
    if how == "renamed":
        file.rename(package / "inner" / "four.py")
    if how == "replaced":  # by one of the same size and time
        time.sleep(0.02)
        file.unlink()
        file.write_text("2\n")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    if how == "moved":
        package = package.rename(package.with_name("other"))
    assert digest(package) != before


def test_files_that_have_changed_since_they_were_imported_have_none(package: Path) -> None:
    files, now = state_of(str(package)), time.time_ns()
    assert digest_of(files, now) == ""
    assert digest_of(files, now + LATER)
    os.utime(package / "one.py", ns=(now + 2 * LATER, now + 2 * LATER))
    assert digest_of(state_of(str(package)), now + LATER) == ""


def test_a_package_in_no_folder_has_none(tmp_path: Path) -> None:
    assert digest_of(state_of(str(tmp_path / "package.zip")), 1 << 62) == ""


def test_python_and_numpy_and_lark_count(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {digest(package)}
    monkeypatch.setattr("numpy.__version__", "0.0")
    found.add(digest(package))
    monkeypatch.setattr("sys.version", "0.0")
    found.add(digest(package))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    found.add(digest(package))
    assert len(found) == 4
