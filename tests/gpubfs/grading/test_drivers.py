"""Drivers that are right, and those that are wrong: points, reasons, and words to act on."""

from __future__ import annotations

import pytest

from gpubfs.grading.exercise import SCHEDULES, Case
from gpubfs.grading.kinds.drive import DriveKind
from tests.gpubfs.grading.driving import LOOP, checked, exercise, of

pytestmark = pytest.mark.slow  # each test starts processes

STATUS = """
from gpubfs.host import SearchResult, DeviceGraph, Host

def search(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    level = host.full("level", graph.vertices, -1)
    host.write(level[source : source + 1], 0)
    found, depth = host.full("found", 1, 1), 0
    while host.read_int(found):
        host.level(depth)
        host.write(found, 0)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("status_array", host.blocks(graph.vertices, block), (block, 1, 1), args)
        depth += 1
    return SearchResult(level)
"""


@pytest.mark.parametrize("graph", ["toy", "star:40", "kron:6", "er:5,1"])
def test_right_drivers_lose_nothing_on_any_graph(graph: str, tmp_path) -> None:
    assert checked(of(LOOP), tmp_path, graph=graph) is None
    assert checked(STATUS, tmp_path, graph=graph, technique="status-array") is None


def test_every_order_is_run(tmp_path) -> None:
    file = tmp_path / "right.py"
    file.write_text(of(LOOP))
    case = Case("orders", 1, {"graph": "kron:6,seed={seed}"}, schedules=SCHEDULES, sanitize="all")
    assert DriveKind(exercise(tmp_path), file).grade_case(case, 7) is None


def test_limits_are_held_against_what_the_real_host_counted(tmp_path) -> None:
    limits = {"launches": 6, "host_reads": 6}
    assert checked(of(LOOP), tmp_path, limits=limits) is None
    again = of(
        LOOP.replace("    size = host", "    host.read_int(following_size)\n    size = host")
    )
    lost = checked(again, tmp_path, limits=limits)
    assert (lost.reason, lost.got, lost.expected) == ("limit", "12", "at most 6")


def test_bytes_and_frees_are_counted(tmp_path) -> None:
    body = "spare = host.empty('spare', 1000)\nhost.free(spare)\n" + LOOP
    assert checked(of(body), tmp_path, limits={"bytes_peak": 4500}) is None
    lost = checked(
        of(body.replace("host.free(spare)\n", "")), tmp_path, limits={"bytes_peak": 4096}
    )
    assert lost.reason == "limit"


WRONG = {
    "no such function": ("def find(): pass", "read", "no function search(host, graph, source"),
    "another function": ("def serach(host): pass", "read", "the file has serach"),
    "nothing": ("", "read", "no function search"),
    "syntax": ("def search(:\n", "read", "SyntaxError"),
    "digits": ("x = " + "9" * 5000, "read", "a number has more digits than can be written"),
    "signs": ("x = " + "-" * 100_000 + "1", "read", "the file is nested too deeply"),
    "sum": ("x = 1" + "+1" * 50_000, "read", "the file is nested too deeply"),
    "the graph": (of("return graph.offsets"), "driver", "returned graph.offsets, which is the"),
    "a graph's six": (of("return graph.neighbours[:6]"), "driver", "graph.neighbours, which is"),
    "a slice": (of(LOOP.replace("return level", "return level[:6][:5]")), "driver",
                "a slice, 5 of 6 elements of level: return all levels"),
    "at import": ("1 / 0", "driver", "ZeroDivisionError: division by zero"),
    "not there": ("import numpy", "driver", "numpy is not there"),
    "signature": ("def search(host): pass", "driver", "unexpected keyword"),
    "kernel": (of(LOOP.replace('"scan_free"', '"scanfree"')), "driver", "scanfree"),
    "arguments": (of(LOOP.replace(", depth)", ")")), "driver", "takes 8 arguments, 7 given"),
    "a number for an array": (of(LOOP.replace("level, *q", "7, *q")), "driver",
                              "of scan_free is given 7, and takes an array"),
    "order": (of(LOOP.replace("level, *queues", "*queues, level")), "driver", "scan_free"),
    "too few threads": (of(LOOP.replace("host.blocks(size", "host.blocks(0")), "driver", "grid"),
    "no reset": (of(LOOP.replace("    host.write(following_size, 0)\n", "")),
                 "driver", "level 6 is expanded"),
    "fraction": (of(LOOP.replace("host.blocks(size, o", "(size / o")), "driver", "whole number"),
    "index": (of(LOOP.replace("return level", "return level[0]")), "driver", "host.read_int(level"),
    "store": (of(LOOP.replace("return level", "level[0] = 1")), "driver", "host.write(level["),
    "truth": (of("return bool(host.full('one', 1, 1))"), "driver", "host.read_int(one)"),
    "array": (of("return host.array('level', [0, 1])"), "driver", "host.array is not there"),
    "swapped": (of(LOOP.replace("graph.offsets, graph", "level, graph")), "driver", "given level"),
    "slice": (of(LOOP.replace("return level", "return level[1:]")), "driver", "return all levels"),
    "queue": (of(LOOP.replace("return level", "return following_size")), "driver", "6 vertices"),
    "type": (of("return host.full('level', 6, 0, 'int64')"), "driver", "levels are int32"),
    "returned": (of("return [0, 1, 2, 3, 4, 5]"), "driver", "[0, 1, 2, 3, 4, 5]"),
    "none": (of("pass"), "driver", "search returned nothing"),
    "freed": (of("a = host.empty('a', 4)\nhost.free(a)\nhost.write(a, 1)"), "driver", "was freed"),
    "much": (of("host.empty('a', 1 << 40)"), "driver", "and must be from 1"),
    "many": (of("for _ in range(9): host.empty('a', 1 << 20)"), "driver", "32 MiB in all"),
    "dtype": (of("host.empty('a', 9, 'object')"), "driver", "cannot be of 'object'"),
    "value": (of("host.full('a', 9, 1 << 31)"), "driver", "must be from -2,147,483,648"),
    "threads": (of("host.launch('scan_free', 1 << 20, 1024, ())"), "driver", "threads"),
    "endless": (of(LOOP.replace("    size = h", "    h").replace("(depth, size)", "(0)")),
                "driver", "the search has 6 levels: when does the loop end?"),
    "deeper": (of("for depth in range(9): host.level(depth)"), "driver", "level 6 is expanded"),
    "calls": (of("while True: host.level(0)"), "driver", "the host was called"),
    "one level short": (of(LOOP.replace("while size", "while depth < 4")), "result", "vertex 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_drivers_say_what_is_wrong(name: str, tmp_path) -> None:
    text, reason, words = WRONG[name]
    lost = checked(text, tmp_path)
    assert lost is not None
    assert lost.reason == reason, lost
    assert words in f"{lost.message} {lost.detail}", lost


def test_the_line_is_shown_and_what_was_printed(tmp_path) -> None:
    lost = checked(of("print('at', source)\nhost.read(graph.offsets)"), tmp_path)
    assert "submission.py, line 4:\n  host.read(graph.offsets)" in lost.detail
    assert lost.detail.endswith("It printed:\nat 0")
    assert lost.called == "search on path:6 from 0"
    lost = checked(of("def inner():\n    return {}['key']\ninner()"), tmp_path)
    assert lost.message == "KeyError: 'key'"
    assert "line 4:\n  return {}['key']" in lost.detail


def test_parents_are_verified_too(tmp_path) -> None:
    above = "from gpubfs import SearchResult"
    body = LOOP.replace("return level", "return SearchResult(level, host.full('parents', 6, 0))")
    lost = checked(of(body, above), tmp_path)
    assert lost.reason == "result"
    assert "parent" in lost.message


@pytest.mark.parametrize(
    ("above", "answer"),
    [
        ("import gpubfs", "gpubfs.SearchResult(level)"),
        ("import gpubfs.host", "gpubfs.host.SearchResult(level)"),
        ("import gpubfs.host as machine", "machine.SearchResult(level)"),
        ("from gpubfs import host as machine", "machine.SearchResult(level)"),
        ("from gpubfs.host import SearchResult, DeviceGraph, Host", "SearchResult(level)"),
    ],
)
def test_the_module_is_imported_in_any_way(above: str, answer: str, tmp_path) -> None:
    body = LOOP.replace("return level", f"return {answer}")
    assert checked(of(body, above), tmp_path) is None


LAST = (
    "not host.read(found)",
    "host.read(found) == 0",
    "host.read(found) < 1",
    "not host.read(found) != 0",
    "host.read(found)[0] == 0",
    "host.read(found).item() == 0",
    "int(host.read(found)) == 0",
    "not host.read(found).any()",
    "1 not in host.read(found)",
    "(host.read(found) == 0).all()",
    "host.read(found).tolist() == [0]",
    "host.read(found).flat[0] == 0",
    "host.read(found).sum() == 0",
    "'1' not in f'{host.read(found)}'",
)


@pytest.mark.parametrize("last", LAST)
def test_what_is_read_may_be_asked_as_an_array(last: str, tmp_path) -> None:
    body = f"""
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 0)
    for depth in range(99):
        host.level(depth)
        host.write(found, 0)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("status_array", host.blocks(graph.vertices, 32), 32, args)
        if {last}:
            return level
    """
    assert checked(of(body), tmp_path, technique="status-array") is None


def test_several_elements_are_neither_true_nor_false(tmp_path) -> None:
    lost = checked(of("if host.read(host.levels(4, 0)[:2]): pass"), tmp_path)
    assert lost.message == (
        "ValueError: the truth value of 2 elements is not one: say which one, as [0]"
    )


def test_names_need_not_be_ascii(tmp_path) -> None:
    body = LOOP.replace("depth", "tiefe_größe").replace('"next_size"', '"größe"')
    assert checked(of(body + "'\\N{GREEK SMALL LETTER ALPHA}'\n"), tmp_path) is None


def test_levels_that_are_announced_must_be_all(tmp_path) -> None:
    limits = {"levels_left_out": 0}
    silent = LOOP.replace("    host.level(depth, size)\n", "")
    late = silent.replace("    size = host", "    host.level(depth - 1)\n    size = host")
    assert checked(of(LOOP), tmp_path, limits=limits) is None
    assert checked(of(silent), tmp_path, limits=limits) is None
    lost = checked(of(late), tmp_path, limits=limits)
    assert lost is not None
    assert "levels_left_out is 1, more than 0" in lost.message


def test_a_driver_may_have_dataclasses(tmp_path) -> None:
    above = "from dataclasses import dataclass\n\n@dataclass\nclass Flag:\n    depth: int\n"
    assert checked(of(LOOP, above), tmp_path, graph="toy") is None


def test_launches_are_counted_for_each_level(tmp_path) -> None:
    limits = {"launches_per_level": 1}
    assert checked(of(LOOP), tmp_path, limits=limits) is None
    fixed = STATUS.replace("while host.read_int(found):", "for depth in range(9):")
    fixed = fixed.replace("        host.level(depth)\n", "")
    lost = checked(fixed, tmp_path, technique="status-array", limits=limits)
    assert lost.message == "the result is right, but launches_per_level is 1.50, more than 1"
