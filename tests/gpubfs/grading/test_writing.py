"""Files that are whole or as before."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from gpubfs.grading.writing import write


def test_a_full_disk_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "marks.csv"
    write(file, "as before")

    def full(path: Path, content: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=r"marks\.csv"):
        write(file, "after")
    assert [path.name for path in tmp_path.iterdir()] == ["marks.csv"]
    assert file.read_text() == "as before"
