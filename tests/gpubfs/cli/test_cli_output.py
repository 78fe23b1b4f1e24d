"""The command line as a process of its own: pipes, disks, terminals, signals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GPUBFS = [sys.executable, "-m", "gpubfs"]


def output(*arguments: str, **variables: str) -> str:
    environment = {**os.environ, **variables}
    shown = subprocess.run(
        [*GPUBFS, *arguments], capture_output=True, text=True, env=environment, check=True
    )
    return shown.stdout


def test_a_pipe_gets_plain_text_as_wide_as_columns_says() -> None:
    wide, narrow = (output("list", COLUMNS=columns) for columns in ("100", "70"))
    assert "\x1b" not in wide + narrow
    assert 90 < max(map(len, wide.splitlines())) <= 100
    assert max(map(len, narrow.splitlines())) <= 70


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_one_message() -> None:
    for arguments in (["graph", "toy"], ["list", "--json"]):
        with open("/dev/full", "w") as full:
            command = [*GPUBFS, *arguments]
            shown = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert shown.returncode == 2
        assert shown.stderr.startswith("error: ")
        assert shown.stderr.count("\n") == 1


@pytest.mark.slow
def test_an_ascii_terminal_gets_ascii() -> None:
    assert "degree 2?3" in output("graph", "toy", PYTHONIOENCODING="ascii")
    shown = output("list", "--json", PYTHONIOENCODING="ascii")
    assert shown.isascii()
    assert json.loads(shown) == json.loads(output("list", "--json", PYTHONIOENCODING="utf-8"))


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
def test_a_closed_pipe_is_quiet() -> None:
    script = f"{' '.join(GPUBFS)} list --json | head -c 5"
    shown = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert shown.stdout == "[\n  {"[:5]
    assert shown.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
def test_an_interrupt_during_a_run() -> None:
    command = [*GPUBFS, "run", "scan-free", "--graph", "path:100000", "--source", "0"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # who runs the tests in the background has them ignore it, and children do as well
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"stopped\n")


@pytest.mark.skipif(os.name == "nt", reason="exit codes of POSIX")
def test_an_interrupt_while_modules_are_imported(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text('exec("raise KeyboardInterrupt")', "utf-8")  # as where dataclasses are made
    ended = subprocess.run([*GPUBFS, "--plugin", str(plugin), "list"], capture_output=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"stopped\n")
