"""Runs a driver that was handed in; what it asks of the host goes out on a pipe, in JSON."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import types
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from gpubfs.grading.driving.child import confinement, handles
else:
    import confinement
    import handles

#: What a driver may import: there is no way to the files of others. Python itself needs unicodedata
#: to read names that are not ASCII.
MODULES = (
    "abc array bisect collections contextlib copy dataclasses enum functools heapq itertools math "
    "operator random re string textwrap time types typing unicodedata"
).split()
FILE = "<driver>"
#: The characters of a message that are sent on.
MOST = 2000


class Pipes:
    """The two pipes, which nobody else is meant to use."""

    def __init__(self) -> None:
        self.answers = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self.requests = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(nowhere, number)
        os.close(nowhere)

    def send(self, message: dict[str, object]) -> None:
        """Send a line."""
        self.requests.write(json.dumps(message) + "\n")
        self.requests.flush()

    def say_where(self, number: int, frame: types.FrameType | None) -> None:
        """Say which line of the driver is being run: a signal asks for it when time is up."""
        last = json.dumps({"at": _line(frame)})  # a line of its own, whatever is half written
        os.write(self.requests.fileno(), f"\n{last}\n".encode())

    def receive(self) -> dict[str, Any]:
        """Wait for a line."""
        line = self.answers.readline()
        if not line:
            os._exit(0)  # the process that started this one has ended
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, call: str, *args: object) -> Any:
        """Send a request, and give what comes back."""
        self.send({"call": call, "args": handles.sent(args), "line": _line(sys._getframe())})
        return self.receive()["value"]


class Printed(io.TextIOBase):
    """Where prints go: to the feedback."""

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes

    def write(self, text: str) -> int:
        """Send it on, where it is not too long."""
        self._pipes.send({"printed": text[:MOST]})
        return len(text)


class Elsewhere:
    """Says of modules that are not there why that is so."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> NoReturn:
        """Refuse."""
        raise ImportError(f"{name} is not there: a driver needs its host and plain Python only")


def prepare() -> None:
    """Import what a driver may import, and leave no way to the files of anything else."""
    for name in MODULES:
        __import__(name)
    for name in ("gpubfs", "gpubfs.host"):
        sys.modules[name] = module = types.ModuleType(name)
        for held in (handles.SearchResult, handles.DeviceGraph, handles.Host):
            setattr(module, held.__name__, held)
        module.__dict__["DeviceArray"] = handles.Array
    sys.modules["gpubfs"].__dict__["host"] = sys.modules["gpubfs.host"]
    sys.path.clear()
    sys.meta_path.append(Elsewhere)


def run() -> NoReturn:
    """Run one driver on descriptors 0 and 1, once everything is prepared, and end."""
    _run(Pipes())
    os._exit(0)  # nobody listens any more


def main() -> NoReturn:
    """Be a process that was started for one driver."""
    prepare()
    run()


def _run(pipes: Pipes) -> None:
    """Read the driver, receive the graph, run the search, and say what it returned."""
    job = pipes.receive()
    sys.stdout = sys.stderr = Printed(pipes)
    if sys.platform != "win32":
        signal.signal(signal.SIGUSR1, pipes.say_where)
    pipes.send({"confined": confinement.confine(job["seconds"], job["memory"])})
    try:
        code = compile(job["source"], FILE, "exec")
    except BaseException as error:
        return pipes.send({"unreadable": _described(error)})
    try:
        # Dataclasses look for the module that they stand in.
        sys.modules["driver"] = module = types.ModuleType("driver")
        own: dict[str, Any] = module.__dict__
        exec(code, own)
        functions = [name for name, held in own.items() if isinstance(held, types.FunctionType)]
        pipes.send({"loaded": callable(own.get("search")), "functions": functions[:10]})
        search = pipes.receive()
        graph, host = _given(pipes, search)
        found = own["search"](host, graph, search["source"], **search["options"])
        pipes.send({"returned": _returned(found)})
    except BaseException as error:
        pipes.send({"raised": _described(error)})
    return None


def _given(pipes: Pipes, search: dict[str, Any]) -> tuple[handles.DeviceGraph, handles.Host]:
    offsets, neighbours = (handles.Array(search[name], name) for name in ("offsets", "neighbours"))
    graph = handles.DeviceGraph(offsets, neighbours, search["vertices"], search["edges"])
    return graph, handles.Host(pipes.ask, search["warp_size"], search["multiprocessors"])


def _returned(found: object) -> dict[str, object]:
    if isinstance(found, handles.SearchResult):
        return {"levels": _result(found.levels), "parents": _result(found.parents)}
    return {"levels": _result(found), "parents": None}


def _result(found: object) -> object:
    """Return an array's handle, or of what is none, its description."""
    array_or_nothing = found is None or isinstance(found, handles.Array)
    return handles.sent(found) if array_or_nothing else f"{found!r:.80}"


def _described(error: BaseException) -> dict[str, object]:
    """Return an exception: its kind, its words, and where in the driver it came about."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    traced = error.__traceback__
    while traced is not None:
        if traced.tb_frame.f_code.co_filename == FILE:
            line = traced.tb_lineno
        traced = traced.tb_next
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    return {"type": type(error).__name__, "text": words[:MOST], "line": line}


def _line(frame: types.FrameType | None) -> int | None:
    """Return the line of the driver that is being run."""
    while frame is not None and frame.f_code.co_filename != FILE:
        frame = frame.f_back
    return None if frame is None else frame.f_lineno
