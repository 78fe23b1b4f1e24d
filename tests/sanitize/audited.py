"""Run CUDA files while Python's audit hook watches: what was compiled, executed, opened, imported.

Called as `python -m tests.sanitize.audited FILE.cu …`; prints one JSON object. It is a process of
its own, because an audit hook cannot be taken off again.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import simulator
from simulator.program.kept import use_disk

#: Events of the audit hook that a kernel has no business with, by the start of their names.
_WATCHED = (
    *("import", "open", "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "marshal."),
    *("pickle.", "tempfile.", "builtins.", "code.", "fcntl.", "pty.", "urllib.", "sys.set"),
)


#: A kernel and an error, so that whatever is imported late is there before the hook is.
_FIRST = """extern "C" __global__ void first(int *a) {
  asm("mov.u32 %0, 0;" : "=r"(a[0]));
  a[threadIdx.x] = undeclared;
}"""


def run(path: Path) -> int:
    """Run the kernel that is called as its file; the first element of its array, -1 if refused."""
    array = simulator.zeros(128, "int32")
    try:
        module = simulator.RawModule(path=str(path))
        module.get_function(path.stem)((2,), (64,), (array,))
    except simulator.CompileError as error:
        str(error)
        return -1
    return int(array[0])


def _prepare() -> None:
    for text in (_FIRST, _FIRST.replace("undeclared", "7")):
        try:
            simulator.RawKernel(text, "first")((1,), (32,), (simulator.zeros(32, "int32"),))
        except simulator.CompileError as error:
            str(error)


def main(*paths: str) -> dict[str, Any]:
    """What the files left, what was executed, and every event that was watched."""
    use_disk(False)  # where generated text would not be compiled
    _prepare()
    texts: list[str] = []
    executed: list[str] = []
    events: list[str] = []

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "compile":
            events.append(f"compile {arguments[1]}")
            texts.append(bytes(arguments[0]).decode())
        elif name in ("exec", "function.__new__") and isinstance(arguments[0], CodeType):
            executed.append(arguments[0].co_filename)
        elif name.startswith(_WATCHED):
            events.append(f"{name} {arguments[0] if arguments else ''}")

    sys.addaudithook(hook)
    results = {Path(path).stem: run(Path(path)) for path in paths}
    found = {"results": results, "executed": list(executed), "events": list(events)}
    return {**found, "globals": sorted({name for text in list(texts) for name in _globals(text)})}


def _globals(text: str) -> set[str]:
    """The names that generated text uses and does not bind."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {node.id for node in names} - bound


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
