"""Drivers that mean harm: they lose their case, and nothing else is lost or learnt."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gpubfs.grading.driving import starting
from gpubfs.grading.driving.child import confinement
from gpubfs.grading.driving.process import DriverError, DriverProcess
from gpubfs.grading.processes import worker
from tests.gpubfs.grading.driving import LOOP, checked, of

pytestmark = pytest.mark.slow  # each test starts processes

linux = pytest.mark.skipif(sys.platform != "linux", reason="filters of system calls are Linux's")
LATE = LOOP.replace("return level", "late()\nreturn level")
PIPE = "pipe = host._ask.__self__.requests\n"
FIRST = "level = host.levels(graph.vertices, source)\n"
FORGED = "pipe.write('{}' + chr(10)); pipe.flush()\n"


@pytest.fixture(autouse=True, params=["forked", "anew"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How drivers' processes are started here, each way that there is."""
    if request.param == "forked" and not starting.FORKS:
        pytest.skip("nothing is forked here")
    monkeypatch.setattr(starting, "FORKS", request.param == "forked")


def lost_by(body: str, folder: Path, above: str = "", **given: object):
    lost = checked(of(body, above), folder, **given)
    assert lost is not None
    return lost


@pytest.mark.parametrize(
    "noise",
    [
        "print('{\"returned\": 1}')",
        "os.write(1, b'{\"returned\": 1}' + bytes([10]))",
        "sys.stderr.write('x' * 5000)",
        "sys.stdout = None",
        "sys.stdin.read()",
    ],
)
def test_noise_does_no_harm(noise: str, tmp_path) -> None:
    assert checked(of(f"{noise}\n{LOOP}", "import os, sys"), tmp_path) is None


def test_what_is_patched_in_the_driver_is_patched_there_only(tmp_path) -> None:
    above = "import gpubfs.host"
    body = """
    real = type(host).read_int
    type(host).read_int = lambda self, array: real(self, array) + 0 * real(self, array)
    host.host_reads = host.launches = 0
    graph.vertices = 6
    """
    lost = lost_by(f"{body}{LOOP.replace(chr(10), chr(10) + '    ')}", tmp_path, above,
                   limits={"host_reads": 6})  # fmt: skip
    assert lost.reason == "limit"
    assert lost.got == "12"


ENDED = {
    "exit": ("os._exit(0)", "crash", "ended before search returned (code 0)"),
    "stack": ("def f(): f()\nf()", "driver", "RecursionError"),
    "system exit": ("raise SystemExit", "driver", "SystemExit"),
    "interrupt": ("raise KeyboardInterrupt('now')", "driver", "KeyboardInterrupt: now"),
    "closed": (PIPE + "os.close(pipe.fileno())\nwhile True: pass", "crash", "pipes"),
    "base": ("raise BaseException('own')", "driver", "own"),
    "memory": ("host = ['x' * (1 << 40)]", "memory", "more memory"),
    "hoard": ("a = []\nwhile True: a.append(bytearray(1 << 24))", "memory", "more memory"),
    "garbage": (PIPE + "pipe.write('nonsense' + chr(10)); pipe.flush()\nhost.level(0)",
                "driver", "no request"),
    "bytes": (PIPE + "os.write(pipe.fileno(), bytes(range(128, 256)) + bytes([10]))\nhost.level(0)",
              "driver", "no request"),
    "nested": (PIPE + "pipe.write('[' * 60000 + chr(10)); pipe.flush()\nhost.level(0)",
               "driver", "no request"),
    "long": ("host.full('x' * 10**7, 1, 0)", "driver", "more than it may"),
    "flood": ("while True: print('x' * 1000)", "driver", "more than it may"),
    "digits": (PIPE + "pipe.write('{\"args\": [' + '9' * 5000 + ']}' + chr(10))\n"
               "pipe.flush()\nhost.level(0)", "driver", "no request"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDED)
def test_processes_that_misbehave_are_ended(name: str, tmp_path) -> None:
    body, reason, words = ENDED[name]
    lost = lost_by(body, tmp_path, "import os")
    assert lost.reason == reason, lost
    assert words in lost.message, lost


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import time\ntime.sleep(1000)",
        "import time\nhost.level(0)\ntime.sleep(1000)",
    ],
)
def test_the_clock_ends_what_does_not_end(body: str, tmp_path) -> None:
    begun = time.monotonic()
    lost_by("raise ValueError", tmp_path)  # which starts as many processes, and no less slowly
    before = time.monotonic()
    lost = lost_by(body, tmp_path, seconds=2.0)
    assert lost.reason == "time"
    assert re.search(r"^it was at \S+, line \d+:\n  (while|try|time|except|pass)", lost.detail)
    assert time.monotonic() - before < 10 + (before - begun)


def test_answers_that_nobody_reads_block_nobody(tmp_path) -> None:
    body = PIPE + 'while True: pipe.write(\'{"call": "level", "args": [0, null]}\' + chr(10))'
    assert lost_by(body, tmp_path, seconds=3.0).reason in ("driver", "time")


FORGERIES = {
    "returned": ('{"returned": {"levels": {"array": 1, "from": 0, "to": 7}}}', "offsets"),
    "own": ('{"returned": {"levels": {"array": 3, "from": 0, "to": 6}}}', "has no level"),
    "handle": ('{"call": "write", "args": [{"array": 99, "from": 0, "to": 1}, 1]}', "no array"),
    "beyond": ('{"call": "read", "args": [{"array": 3, "from": 5, "to": 8}]}', "beyond the end"),
    "backwards": ('{"call": "read", "args": [{"array": 3, "from": 4, "to": 2}]}', "beyond the end"),
    "list": ('{"call": "read", "args": [{"array": [], "from": 0, "to": 1}]}', "no array"),
    "float": ('{"call": "level", "args": [NaN, null]}', "whole number"),
    "private": ('{"call": "_keep", "args": []}', "no request"),
    "dunder": ('{"call": "__init__", "args": []}', "no request"),
    "upload": ('{"call": "array", "args": ["level", [0, 1, 2, 3, 4, 5]]}', "no request"),
    "keywords": ('{"call": "full", "args": {"name": "level"}}', "no request"),
    "count": ('{"call": "full", "args": []}', "called with something else"),
    "graph": ('{"call": "write", "args": [{"array": 2, "from": 0, "to": 1}, 1]}', "the graph's"),
    "free": ('{"call": "free", "args": [{"array": 1, "from": 0, "to": 7}]}', "cannot be freed"),
    "swap": ('{"call": "swap", "args": [{"array": 1, "from": 0, "to": 7}, '
             '{"array": 3, "from": 0, "to": 6}]}', "cannot be swapped"),
    "name": ('{"call": "full", "args": ["a\\nb", 1, 1, "int32"]}', "short text"),
    "source": ('{"call": "levels", "args": [6, 6]}', "the source is 6"),
    "unreadable": ('{"unreadable": {"text": "a secret"}}', "no request"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_requests_are_refused(name: str, tmp_path) -> None:
    message, words = FORGERIES[name]
    body = f"{FIRST}{PIPE}pipe.write({message!r} + chr(10)); pipe.flush()\nhost.level(0)"
    lost = lost_by(body, tmp_path)
    assert words in lost.message, lost
    assert lost.reason in ("driver", "result")


ON_THE_HOST = {
    "graph": ("host.read(graph.neighbours[:2])", "only kernels look at the graph"),
    "one edge": ("host.read_int(graph.neighbours)", "only kernels look at the graph"),
    "levels": (f"{FIRST}host.read(level)", "single numbers, not arrays"),
    "one by one": (FIRST + "for v in range(1000): host.read_int(level[v % 6 : v % 6 + 1])",
                   "more than 32 reads"),
    "written": (FIRST + "for v in range(6): host.write(level[v : v + 1], v)\nreturn level",
                "the host itself wrote the level of vertex 1, 1"),
    "queued": ("return host.queue('level', 6, *range(6))", "wrote the level of vertex 1"),
    "many": (FIRST + "for v in range(99): host.write(level[:1], v)", "more than 32 writes"),
    "forged graph": (FIRST + "one = host.queue('one', 6, 0, 1)\nn = host.full('n', 1, 0)\n"
                     "host.launch('scan_free', 1, 32, (one, one, level, one, 1, one, n, 1))",
                     "offsets of scan_free is given one"),
    "shifted graph": (FIRST + "n = host.full('n', 6, 0)\nhost.launch('scan_free', 1, 32, "
                      "(graph.offsets[1:], graph.neighbours, level, n, 1, n, n, 1))",
                      "offsets of scan_free is given offsets"),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_answers_of_the_host_are_none(name: str, tmp_path) -> None:
    body, words = ON_THE_HOST[name]
    lost = lost_by(body, tmp_path)
    assert lost.reason == "driver", lost
    assert words in lost.message, lost


def test_a_level_that_all_have_cannot_be_filled_in(tmp_path) -> None:
    body = "level = host.full('level', graph.vertices, 1)\nhost.write(level[:1], 0)\nreturn level"
    lost = lost_by(body, tmp_path, graph="star:5")
    assert "the host itself wrote the level of vertex 1, 1" in lost.message


HARM = {
    "read": "open(SOLUTION).read()",
    "read low": "os.open(SOLUTION, os.O_RDONLY)",
    "environment": "open(f'/proc/{PARENT}/environ', 'rb').read()",
    "memory of others": "open(f'/proc/{PARENT}/mem', 'rb').read(1)",
    "itself": "open('/proc/self/maps').read()",
    "list": "os.listdir('/')",
    "remove": "os.remove(SOLUTION)",
    "make": "os.mkdir(SOLUTION + '.folder')",
    "rename": "os.rename(SOLUTION, SOLUTION + '.gone')",
    "truncate": "os.truncate(SOLUTION, 0)",
    "mode": "os.chmod(SOLUTION, 0)",
    "kill": "os.kill(PARENT, 9)",
    "kill all": "os.killpg(os.getpgid(PARENT), 9)",
    "fork": "os.fork()",
    "fork bomb": "while True: os.fork()",
    "execute": "os.execv('/bin/true', ['true'])",
    "session": "os.setsid()",
    "pipe": "os.pipe()",
    "limits": "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (9, 9))",
    "thread": "import _thread\n_thread.start_new_thread(print, ())",
    "network": "import socket\nsocket.socket()",
    "subprocess": "import subprocess\nsubprocess.run(['true'])",
}


@linux
@pytest.mark.parametrize("name", HARM)
def test_nothing_else_is_in_reach(name: str, tmp_path) -> None:
    held = tmp_path / "solution.py"
    held.write_text("a secret")
    above = f"import os\nSOLUTION, PARENT = {str(held)!r}, {os.getpid()}"
    lost = lost_by(HARM[name], tmp_path, above)
    assert lost.reason == "driver", lost
    kinds = ("PermissionError", "ImportError", "RuntimeError: can't start new thread", "ValueError")
    assert lost.message.startswith(kinds), lost
    assert "secret" not in str(lost)
    assert held.read_text() == "a secret"
    assert {path.name for path in tmp_path.iterdir()} == {"solution.py", "submission.py"}


@linux
def test_the_environment_is_empty_and_no_file_is_open(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GPUBFS_SECRET", "known to nobody")
    body = """
    def there(number):
        try:
            os.lseek(number, 0, os.SEEK_CUR)
        except OSError as error:
            return error.errno == errno.ESPIPE
        return True
    raise RuntimeError(sum(map(there, range(64))), sorted(os.environ))
    """
    lost = lost_by(body, tmp_path, "import errno, os")
    assert "known to nobody" not in str(lost)
    assert lost.message.startswith("RuntimeError: (5, ")  # the two pipes, and nothing three times
    assert "GPUBFS" not in lost.message


@linux
def test_the_process_is_confined_before_the_driver_is_read() -> None:
    with DriverProcess(20, 20) as process:
        process.send({"source": "", "seconds": 1, "memory": 512})
        assert process.receive() == {"confined": True}


def test_machines_have_numbers_of_their_own() -> None:
    for column in (0, 1):
        numbers = [row[column] for row in confinement.CALLS.values()]
        assert len(set(numbers)) == len(numbers)


def test_a_process_that_ends_while_it_is_written_to_is_lost() -> None:
    with DriverProcess(20, 20) as process:
        process.send({"source": "import os; os._exit(3)", "seconds": 1, "memory": 512})
        process.receive()
        with pytest.raises(DriverError, match="code 3"):
            process.receive()
        with pytest.raises(DriverError, match="code 3"):
            process.send({"vertices": 1})


_HOLD = """
import sys, time
sys.path.insert(0, {root!r})
from gpubfs.grading.driving.process import DriverProcess
process = DriverProcess(60, 60)
process.send({{"source": "while True: pass", "seconds": 60, "memory": 512}})
process.receive()
print(process._process.pid, flush=True)
time.sleep(60)
"""


@linux
def test_a_driver_dies_with_the_process_that_grades_it() -> None:
    root = str(Path(worker.__file__).parents[2])
    code = _HOLD.format(root=root)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as held:
        child = int(held.stdout.readline())
        assert _alive(child)
        held.send_signal(signal.SIGKILL)
        held.wait()
    end = time.monotonic() + 5
    while _alive(child) and time.monotonic() < end:
        time.sleep(0.02)
    assert not _alive(child)


def _alive(process: int) -> bool:
    with suppress(OSError):
        status = Path(f"/proc/{process}/stat").read_text()
        return status.rpartition(")")[2].split()[0] not in "ZX"
    return False


_KEEP = """
import ctypes, sys

{source}
{call}
print("ready", flush=True)
input()
"""
_LOOK = "import sys; print(open(f'/proc/{sys.argv[1]}/environ', 'rb').read())"


@linux
@pytest.mark.skipif(os.geteuid() == 0, reason="root reads all processes")
@pytest.mark.parametrize("kept", [False, True])
def test_the_secret_of_a_grading_process_is_its_own(kept: bool) -> None:
    # Where there are no filters, this is what is left.
    source = f"_SET_DUMPABLE = {worker._SET_DUMPABLE}\n{inspect.getsource(worker.deny_inspection)}"
    code = _KEEP.format(source=source, call="deny_inspection()" if kept else "")
    python = [sys.executable, "-I", "-S", "-c"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*python, code], env={"HELD": "a secret"}, **pipes) as held:
        assert held.stdout.readline() == b"ready\n"
        look = [*python, _LOOK, str(held.pid)]
        found = subprocess.run(look, capture_output=True, text=True, check=False)
        held.stdin.close()
    assert ("a secret" in found.stdout) == (not kept)
    assert ("PermissionError" in found.stderr) == kept


@linux
def test_a_driver_is_limited_where_there_are_no_filters_too() -> None:
    with DriverProcess(20, 20) as process:
        process.send({"source": "while True: pass", "seconds": 3, "memory": 300})
        process.receive()
        words = Path(f"/proc/{process._process.pid}/limits").read_text()
    rows = {line[:26].strip(): line[26:].split()[:2] for line in words.splitlines()}
    assert rows["Max cpu time"] == ["4", "4"]
    assert rows["Max address space"] == [str(300 << 20)] * 2
    for name in ("Max file size", "Max core file size", "Max processes"):
        assert rows[name] == ["0", "0"]
