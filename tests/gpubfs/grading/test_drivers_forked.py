"""Drivers' processes that are forked: each is new, dies alone, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gpubfs.grading.driving import starting
from gpubfs.grading.driving.process import DriverError, DriverProcess
from tests.gpubfs.grading.driving import LOOP, checked, of

pytestmark = [
    pytest.mark.slow,  # each test starts processes
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked"),
]


#: What the server runs where tests look into it, as root may anyway.
OPEN = "import confinement; confinement.deny_inspection = int; del confinement; "


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the server, where it is asked for after this, let itself be looked into."""
    monkeypatch.setattr(
        starting, "SERVE", starting.SERVE.replace("__import__", OPEN + "__import__")
    )


@pytest.fixture
def server() -> Iterator[starting.DriverServer]:
    """The server that the tests below ask, new for each."""
    starting.end_server()
    said("")
    assert starting._server is not None
    yield starting._server
    starting.end_server()


def begun(process: DriverProcess, source: str) -> None:
    process.send({"source": source, "seconds": 5, "memory": 512})
    assert process.receive() == {"confined": True}


def said(source: str) -> str:
    """What a driver prints as it is read."""
    with DriverProcess(20, 20) as process:
        begun(process, source)
        message = process.receive()
        assert "loaded" in message, message
        return process.printed


def alive(process: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def dies(process: int) -> bool:
    end = time.monotonic() + 20
    while alive(process) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(process)


def children(process: int) -> list[int]:
    """The processes whose parent is this one, zombies included."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == process:
            found.append(int(stat.parent.name))
    return found


def descriptors(process: int) -> list[str]:
    """What is open in a process."""
    return sorted(path.name for path in Path(f"/proc/{process}/fd").iterdir())


CHANGES = """
import builtins, json, os, random, sys, types, gpubfs.host, handles, running, confinement
import enum, gc, math, signal, time
seen = [
    getattr(builtins, "note", None), "note" in sys.modules, hasattr(json, "note"), sys.path,
    len(sys.meta_path), hasattr(gpubfs.host.Host, "note"), hasattr(handles, "note"),
    sorted(os.environ), math.pi, len.__name__, sys.getrecursionlimit(), gc.isenabled(),
    signal.getsignal(signal.SIGINT) is signal.default_int_handler, gc.callbacks,
    signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL, len(running.MODULES),
]
print(seen)
builtins.note = sys.modules["note"] = json.note = gpubfs.host.Host.note = handles.note = 1
sys.path.append("/"), sys.meta_path.clear(), os.environ.update(NOTE="1"), running.MODULES.clear()
math.pi, builtins.len, confinement.confine = 3, print, lambda *_: False
gc.disable(), gc.callbacks.append(print), sys.setrecursionlimit(5000)
signal.signal(signal.SIGINT, signal.SIG_IGN), sys.modules.pop("json")
random.random = json.dumps = json.loads = running.Pipes = None
"""


def test_what_a_driver_changes_is_changed_in_its_run_only(server: Any) -> None:
    seen = []
    for _ in range(3):
        with DriverProcess(20, 20) as process:
            begun(process, CHANGES)
            with pytest.raises(DriverError, match="code 1"):  # it cannot even say goodbye
                process.receive()
            seen.append(process.printed)
    assert seen[0].startswith("[None, False, False, [], ")
    assert seen == seen[:1] * 3


#: Whether a descriptor is open, as far as a run can see.
THERE = """
import errno, os
def there(number):
    try:
        return os.lseek(number, 0, os.SEEK_CUR) >= 0
    except OSError as error:
        return error.errno != errno.EBADF
"""

LOOK = (
    THERE
    + """import gc, os, signal, sys
print(sorted(set(sys.modules) - {"gc"}), sorted(vars(sys.modules["__main__"])))
print([number for number in range(256) if there(number)], sorted(os.environ), sys.stdin.read())
print([str(signal.getsignal(number)) for number in range(1, 32) if number != signal.SIGUSR1])
print(sys.flags, sys.path, sys.meta_path, sys.getrecursionlimit(), sys.get_int_max_str_digits())
print(gc.get_threshold(), gc.isenabled(), gc.callbacks, len(sys._current_frames()))
"""
)


def test_a_run_sees_what_a_process_that_was_started_anew_sees(
    opened: None, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpubfs.grading.driving.process.MAX_PRINTED", 1 << 16)
    seen = []
    for forks in (True, False):
        monkeypatch.setattr(starting, "FORKS", forks)
        with DriverProcess(20, 20) as process:
            begun(process, "while True: pass")
            status = Path(f"/proc/{process._process.pid}")
            limits, state = (status / "limits").read_text(), (status / "status").read_text()
            kept = ("Seccomp:", "NoNewPrivs:", "Sig", "Shd", "Cap", "Threads:", "Groups:")
            rows = [row for row in state.splitlines() if row.startswith(kept)]
            seen.append((limits, rows, status.joinpath("cwd").resolve()))
        seen[-1] += (re.sub("0x[0-9a-f]+", "", said(LOOK)),)
    assert seen[0] == seen[1]
    assert "Seccomp:\t2" in seen[0][1]


BESIDE = (
    THERE
    + """
import gc, os, sys
frame, held = sys._getframe(), gc.get_objects()
while frame:
    held, frame = held + list(frame.f_locals.values()), frame.f_back
names = [type(one).__name__ for one in held]
print([number for number in range(256) if there(number)], "Server" in names)
"""
)


def test_a_run_holds_nothing_of_those_beside_it(server: Any) -> None:
    alone = said(BESIDE)
    assert alone == "[0, 1, 2, 3, 4] False\n"
    with DriverProcess(20, 20) as one, DriverProcess(20, 20) as other:
        for process in (one, other):
            begun(process, "while True: pass")
        assert said(BESIDE) == alone


def test_ends_are_told_whatever_signals_are_blocked(server: Any) -> None:
    starting.end_server()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD,))
    try:
        with DriverProcess(20, 20) as process:
            begun(process, "import os; os._exit(5)")
            with pytest.raises(DriverError, match="code 5"):
                process.receive()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_what_is_random_is_random_in_each_run(server: Any) -> None:
    draw = "import random\nprint(random.random(), random.getrandbits(64))"
    assert len({said(draw) for _ in range(5)}) == 5


def test_texts_have_other_hashes_for_each_server() -> None:
    found = set()
    for _ in range(3):
        starting.end_server()
        found.add(said("print(hash('a text'))"))
    assert len(found) == 3


#: What a driver is told of a search.
SEARCH = {
    **{name: {"array": 1, "dtype": "int32", "size": 7} for name in ("offsets", "neighbours")},
    **dict.fromkeys(("vertices", "edges", "source", "warp_size", "multiprocessors"), 1),
}


def test_the_server_never_has_what_a_run_is_told(
    opened: None, server: starting.DriverServer
) -> None:
    marks = ["never-" + "told", "never-" + "hidden"]
    source = "def search(host, *_, **options):\n    host.level(0)"
    with DriverProcess(20, 20) as process:
        begun(process, f"mark = '{marks[0]}'\n{source}")
        process.receive()
        process.send({**SEARCH, "options": {"mark": marks[1]}})
        assert process.receive()["call"] == "level"
        assert Path(f"/proc/{server.pid}/environ").read_bytes() == b""
        run = memory(process._process.pid)
        assert all(mark.encode() in run for mark in marks)
        assert not any(mark.encode() in memory(server.pid) for mark in marks)


def memory(process: int) -> bytes:
    """What a process has written into its memory."""
    parts = []
    with Path(f"/proc/{process}/mem").open("rb", 0) as held:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            area, rights = line.split()[:2]
            if rights.startswith("rw"):
                start, stop = (int(number, 16) for number in area.split("-"))
                held.seek(start)
                parts.append(held.read(stop - start))
    return b"".join(parts)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads all processes")
def test_nobody_looks_into_the_server(server: starting.DriverServer) -> None:
    with pytest.raises(PermissionError):
        Path(f"/proc/{server.pid}/environ").read_bytes()


def test_a_run_has_a_session_of_its_own(server: starting.DriverServer) -> None:
    with DriverProcess(20, 20) as process:
        begun(process, "")
        run = process._process.pid
        assert children(server.pid) == [run]
        assert os.getsid(run) == os.getpgid(run) == run != os.getsid(server.pid)
    assert children(server.pid) == []


def test_runs_beside_each_other_are_told_apart(server: starting.DriverServer) -> None:
    def ended(number: int) -> str:
        with DriverProcess(20, 20) as process:
            end = "while True: pass" if number % 3 == 0 else f"import os; os._exit({number})"
            begun(process, f"print({number})\n{end}")
            if number % 3 == 0:
                return str(number)
            with pytest.raises(DriverError) as lost:
                process.receive()
            return f"{process.printed.strip()} {lost.value}"

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ended, range(24)))
    words = "{0} the driver's process ended before search returned (code {0})"
    assert found == [words.format(one) if one % 3 else str(one) for one in range(24)]
    assert starting._server is server
    assert children(server.pid) == []


def test_a_run_that_waits_for_its_job_dies_with_its_server(server: Any) -> None:
    with DriverProcess(20, 20) as process:
        assert alive(process._process.pid)
        os.kill(server.pid, signal.SIGKILL)
        assert dies(process._process.pid)


def test_a_run_outlives_the_thread_that_asked_for_it(server: starting.DriverServer) -> None:
    starting.end_server()
    held: list[DriverProcess] = []
    thread = threading.Thread(target=lambda: held.append(DriverProcess(20, 20)))
    thread.start()
    thread.join()
    with held[0] as process:
        begun(process, "print(1)")
        assert "loaded" in process.receive()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_run_that_is_ended_from_outside_is_told(number: int, server: Any) -> None:
    with DriverProcess(20, 20) as process:
        begun(process, "while True: pass")
        os.kill(process._process.pid, number)
        if number == signal.SIGKILL:
            with pytest.raises(ChildProcessError, match="was killed from outside"):
                process.receive()
        else:
            with pytest.raises(DriverError, match=rf"\(code -{number:d}\)"):
                process.receive()
    assert said("print(2)") == "2\n"
    assert starting._server is server


def test_processor_time_that_is_over_is_late(server: Any) -> None:
    with DriverProcess(20, 20) as process:
        begun(process, "while True: pass")
        os.kill(process._process.pid, signal.SIGXCPU)
        with pytest.raises(DriverError, match="not done within 20 seconds"):
            process.receive()


def test_a_run_dies_with_its_server_and_that_is_nobodys_loss(server: Any) -> None:
    with DriverProcess(20, 20) as process:
        begun(process, "while True: pass")
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(ChildProcessError, match="was killed from outside"):
            process.receive()
        assert dies(process._process.pid)


def test_a_server_that_is_killed_between_two_runs_is_started_again(server: Any, tmp_path) -> None:
    os.kill(server.pid, signal.SIGKILL)
    assert checked(of(LOOP), tmp_path) is None  # in a process that was started anew
    assert checked(of(LOOP), tmp_path) is None
    assert starting._server not in (None, server)
    assert not Path(f"/proc/{server.pid}").exists()  # and not even a zombie is left


def test_where_no_server_starts_each_run_is_started_anew(monkeypatch, tmp_path) -> None:
    starting.end_server()
    monkeypatch.setattr(starting, "SERVE", "raise SystemExit")
    assert checked(of(LOOP), tmp_path) is None
    assert starting._server is not None
    assert starting._server.lost


def test_where_nothing_is_forked_each_run_is_started_anew(monkeypatch, tmp_path) -> None:
    starting.end_server()
    monkeypatch.setattr(starting, "FORKS", False)
    assert checked(of(LOOP), tmp_path) is None
    assert starting._server is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root forks as many as it likes")
def test_where_no_process_can_be_forked_the_server_goes_on(opened: None, server: Any) -> None:
    before = resource.prlimit(server.pid, resource.RLIMIT_NPROC)
    resource.prlimit(server.pid, resource.RLIMIT_NPROC, (0, before[1]))
    assert said("print(1)") == "1\n"  # in a process that was started anew
    resource.prlimit(server.pid, resource.RLIMIT_NPROC, before)
    assert said("print(1)") == "1\n"
    assert starting._server is server


@pytest.mark.parametrize("room", [0, 1, 2])
def test_where_the_server_has_too_many_open_files_it_is_done_without(
    room: int, opened: None, server: starting.DriverServer
) -> None:
    its = descriptors(server.pid)
    before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (len(its) + room, before[1]))
    assert said("print(1)") == "1\n"  # in a process that was started anew
    assert server.lost == (room == 0)  # where nobody could be told, it might be gone
    if room:
        assert descriptors(server.pid) == its
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
        assert children(server.pid) == []


def test_three_hundred_runs_leave_nothing(opened: None, server: starting.DriverServer) -> None:
    ways = ("", "1 / 0", "import os; os._exit(1)", "while True: pass", "syntax error")
    mine, its = descriptors(os.getpid()), descriptors(server.pid)
    for number in range(300):
        with DriverProcess(20, 20) as process:
            begun(process, ways[number % len(ways)])
    assert starting._server is server
    assert (descriptors(os.getpid()), descriptors(server.pid)) == (mine, its)
    assert children(server.pid) == []
    starting.end_server()
    assert not Path(f"/proc/{server.pid}").exists()


def test_a_run_that_nobody_ends_ends_with_what_held_it(server: starting.DriverServer) -> None:
    process = DriverProcess(20, 20)
    begun(process, "while True: pass")
    run = process._process.pid
    del process
    assert dies(run)
    assert alive(server.pid)


def test_a_copy_of_a_process_has_a_server_of_its_own(server: starting.DriverServer) -> None:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            before = starting._server
            said("")
            other = starting._server
            assert other is not None
            os.write(write, f"{before} {other.pid}".encode())
            starting.end_server()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    before, other = os.read(read, 100).decode().split()
    for one in (read, write):
        os.close(one)
    assert before == "None"
    assert int(other) != server.pid
    assert not Path(f"/proc/{other}").exists()
    assert said("print(1)") == "1\n"
    assert starting._server is server


HOLD = """
import os, sys, time
from gpubfs.grading.driving import starting
from gpubfs.grading.driving.process import DriverProcess
process = DriverProcess(60, 60)
process.send({"source": "while True: pass", "seconds": 60, "memory": 512})
process.receive()
copy = os.fork() if sys.argv[1] == "copied" else 0
if copy or sys.argv[1] != "copied":
    print(process._process.pid, starting._server.pid, copy, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("way", ["alone", "copied"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_of_a_process_that_is_ended(number: int, way: str) -> None:
    command = [sys.executable, "-c", HOLD, way]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as held:
        assert held.stdout is not None
        run, server, copy = map(int, held.stdout.readline().split())
        assert alive(run)
        assert alive(server)
        held.send_signal(number)
        held.wait()
    try:
        assert dies(run)
        assert dies(server)
    finally:
        if copy:
            os.kill(copy, signal.SIGKILL)


ADOPTING = """
import ctypes, os, sys
from pathlib import Path
from gpubfs.grading.loading import load
from gpubfs.grading.processes.sandbox import grade
from gpubfs.grading.processes.starting import end_server

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans become its children
folder = Path(sys.argv[1])
for _ in range(2):
    assert grade(load(folder), folder / "solution.py", "")
end_server()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none")
"""


def test_grading_leaves_no_process_that_nobody_waits_for() -> None:
    # Where the first process of a container waits for none, such processes stay for ever.
    exercise = Path(__file__).parents[3] / "lessons/01-levels/exercises/level-loop"
    command = [sys.executable, "-c", ADOPTING, str(exercise)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == "none\n"
