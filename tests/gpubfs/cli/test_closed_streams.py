"""Commands whose standard streams are closed, full, or not read to the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpubfs.cli.main import main
from gpubfs.kernels import KERNELS
from tests.sampling import sampled

pytestmark = pytest.mark.skipif(os.name == "nt", reason="file descriptors of POSIX")

LESSONS = Path(__file__).parents[3] / "lessons"

#: Every kind of output: tables, JSON, steps, plain text, help, errors.
COMMANDS = {
    "list": 0,
    "graph toy": 0,
    "run scan-free --graph toy": 0,
    "run scan-free --graph toy --json": 0,
    "trace scan-free --graph toy --device toy2": 0,
    "experiment": 0,
    f"check {KERNELS / 'scan_free.cu'}": 0,
    f"grade {LESSONS / '00-warp' / 'exercises' / 'reverse'} --hint 1": 1,
    "compare scan-free --graph toy": 0,
    "lines scan-free --graph toy": 0,
    "bench scan-free --graph toy --repeat 1": 0,
    "--help": 0,
    "run --help": 0,
    "--version": 0,
    "run nothing --graph toy": 2,
    "dance": 2,
}


def shown(command: str, redirection: str) -> tuple[int, str]:
    """The exit code, and all that is printed beside what the redirection takes."""
    script = f"{sys.executable} -m gpubfs {command} {redirection}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code"), COMMANDS.items())
def test_closed_streams(command: str, code: int) -> None:
    for redirection in (">&-", "2>&-", ">&- 2>&- <&-"):
        found, printed = shown(command, redirection)
        assert found == code, redirection
        assert "Traceback" not in printed


@pytest.mark.slow
def test_all_streams_closed() -> None:
    assert shown("list", ">&- 2>&- <&-")[0] == 0
    assert shown("list", ">&-") == (0, "")
    assert shown("dance", "2>&-") == (2, "")


@pytest.mark.parametrize("command", sampled(["list", "run scan-free --graph toy"], 2))
def test_a_reader_who_has_read_enough(command: str) -> None:
    code, printed = shown(command, "| head -c 5")
    assert (code, printed[5:]) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_for_messages() -> None:
    assert shown("run nothing --graph toy", "2> /dev/full") == (2, "")


@pytest.mark.slow
def test_a_file_that_is_opened_does_not_get_what_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "trace.txt"
    code, _ = shown(f"trace scan-free --graph toy --device toy2 --export {file}", ">&- 2>&- <&-")
    assert code == 0
    other = tmp_path / "other.txt"
    with pytest.raises(SystemExit):
        main(f"trace scan-free --graph toy --device toy2 --export {other}".split())
    assert file.read_text() == other.read_text()
