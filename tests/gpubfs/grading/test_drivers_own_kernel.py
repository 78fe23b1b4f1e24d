"""Drivers with kernels of their own: taken from the file without running it, and never trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.driving.own_kernel import NESTED, kernels_in
from gpubfs.grading.exercise import Case, UnreadableError
from gpubfs.grading.kinds.drive import DriveKind
from gpubfs.grading.loading import load
from gpubfs.grading.processes.sandbox import grade
from gpubfs.grading.similarity.words import words
from gpubfs.grading.steps import rerun
from tests.gpubfs.grading.driving import exercise

KERNEL = """
// größe: one level
extern "C" __global__ void step(const int *offsets, const int *neighbours, int *level, int n,
                                int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (level[w] >= 0) continue;
    level[w] = depth + 1;
    *found = 1;
  }
}
"""
SEARCH = """
def search(host, graph, source):
    level = host.levels(graph.vertices, source)
    found = host.full("found", 1, 1)
    depth = 0
    while host.read_int(found):
        host.level(depth)
        host.write(found, 0)
        args = (graph.offsets, graph.neighbours, level, graph.vertices, depth, found)
        host.launch("step", host.blocks(graph.vertices, 32), 32, args)
        depth += 1
    return level
"""
DRIVER = f'"""A driver."""\n\nKERNEL = r"""{KERNEL}"""\n{SEARCH}'


def changed(before: str, after: str) -> str:
    assert DRIVER.count(before) == 1
    return DRIVER.replace(before, after)


def lost(text: str, folder: Path, limits: Any = None, sanitize: str = "", **given: Any) -> Any:
    """What is lost on one small graph, in one order."""
    file = folder / "submission.py"
    file.write_text(text, encoding="utf-8")
    made = exercise(folder, "status-array", fields={"own_kernel": True})
    case = Case(
        "a case",
        1,
        {"graph": "grid:5x5", "source": 0} | given,
        schedules=("lockstep",),
        sanitize=sanitize,
        limits=limits or {},
    )
    return DriveKind(made, file).grade_case(case, 1)


def test_kernels_keep_their_lines_and_columns() -> None:
    made = kernels_in(DRIVER, "a.py")
    assert len(made) == len(DRIVER)
    at = DRIVER.index(KERNEL)
    assert made[at : at + len(KERNEL)] == KERNEL
    assert made[:at].strip() == made[at + len(KERNEL) :].strip() == ""
    assert made.count("\n") == DRIVER.count("\n")
    wide = "größe = \"ä\"; KERNEL: str = R'x ö'; y = 1\n"
    assert kernels_in(wide, "a.py").strip() == "x ö"
    assert kernels_in(wide, "a.py").index("x") == wide.index("x ö")


REFUSED = {
    "none": ("search = 1", "there is no constant KERNEL in the file"),
    "another name": ("KERNELS = ''", "there is no constant KERNEL"),
    "in a function": ("def f():\n    KERNEL = ''", "there is no constant KERNEL"),
    "twice": ("KERNEL = ''\nKERNEL = ''", "KERNEL is given a value 2 times"),
    "added to": ("KERNEL = ''\nKERNEL += ''", "KERNEL is given a value 2 times"),
    "number": ("KERNEL = 1", "KERNEL is not a text"),
    "bytes": ("KERNEL = b''", "KERNEL is not a text"),
    "formatted": ("KERNEL = f'{1}'", "KERNEL is not a text"),
    "sum": ("KERNEL = 'a' + 'b'", "KERNEL is not a text"),
    "call": ("KERNEL = open('/etc/passwd').read()", "KERNEL is not a text"),
    "no value": ("KERNEL: str", "KERNEL is not a text"),
    "parts": ("KERNEL = 'a' 'b'", "has escapes, or is put together"),
    "escapes": ("KERNEL = 'a\\n'", "has escapes, or is put together"),
    "continued": ("KERNEL = '''a\\\nb'''", "has escapes, or is put together"),
    "syntax": ("KERNEL = (", "SyntaxError: '(' was never closed"),
    "zero": ("KERNEL = '\0'", "null bytes"),
    "digits": ("KERNEL = " + "9" * 5000, "SyntaxError"),
    "signs": ("x = " + "-" * 100_000 + "1", NESTED),
    "added up": ("x = 1" + "+1" * 50_000, NESTED),
    "branches": ("if 1: pass\n" + "elif 1: pass\n" * 20_000, NESTED),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_raw_text_is_refused_with_a_reason(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(UnreadableError) as caught:
        kernels_in(text, "a.py")
    assert caught.value.failure.reason == "read"
    assert message in caught.value.failure.message


@pytest.mark.slow
@pytest.mark.parametrize("graph", ["toy", "star:40", "kron:6", "er:5,1"])
def test_right_ones_lose_nothing(graph: str, tmp_path: Path) -> None:
    assert lost(DRIVER, tmp_path, sanitize="all", graph=graph) is None


@pytest.mark.slow
def test_mistakes_are_shown_with_their_line_in_the_file(tmp_path: Path) -> None:
    line = 1 + DRIVER.split("\n").index("    int w = neighbours[e];")
    found = lost(changed("int w = n", "int w n"), tmp_path)
    assert (found.reason, found.message) == ("read", "in KERNEL: `=` is missing after `w`")
    assert f"submission.py:{line}:10" in found.detail
    found = lost(changed("neighbours[e]", "neighbours[e + 1000]"), tmp_path)
    assert found.reason == "fault"
    assert f"submission.py:{line}:13" in found.location
    assert 'host.launch("step"' in found.detail
    assert ".kernel.cu" not in "".join(vars(found).values())
    found = lost(DRIVER, tmp_path, limits={"load_requests": 3})
    assert found.reason == "limit"
    assert f"submission.py:{line}:13" in found.detail
    racing = changed("*found = 1;", "*found = *found + 1;")
    assert "submission.py:" in lost(racing, tmp_path, sanitize="all").location


@pytest.mark.slow
def test_kernels_that_are_not_there_are_told(tmp_path: Path) -> None:
    found = lost(changed('"step"', '"stop"'), tmp_path)
    assert found.reason == "driver"
    assert "did you mean `step`?" in found.detail


@pytest.mark.slow
def test_a_driver_gets_the_options_that_the_exercise_names(tmp_path: Path) -> None:
    assert lost(changed("graph, source)", "graph, source, block)"), tmp_path, block=64) is None
    found = lost(DRIVER, tmp_path, block=64)
    assert "unexpected keyword argument 'block'" in found.message


@pytest.mark.slow
def test_levels_are_announced_with_their_sizes(tmp_path: Path) -> None:
    sizes = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 4, 6: 3, 7: 2, 8: 1}
    told = changed("host.level(depth)", f"host.level(depth, {sizes}[depth])")
    assert lost(told, tmp_path, frontiers=True) is None
    found = lost(told.replace("4: 5", "4: 6"), tmp_path, frontiers=True)
    assert found.message == "level 4 has 5 vertices, but its queue has 6 entries"
    found = lost(DRIVER, tmp_path, frontiers=True)
    assert "level 0 was not announced with the level's size" in found.message


ATTACKS = {
    # The host's and the file's own name mean nothing: what is verified is the graph that is here.
    "the graph": changed("    *found = 1;", "    ((int *)neighbours)[0] = 0; *found = 1;").replace(
        "level[w] = depth + 1", "level[w] = 1"
    ),
    "levels by the host": changed("    depth = 0\n", "    depth = 0\n    host.write(level, 0)\n"),
    "another text at run time": DRIVER + "\nglobals()['KERNEL'] = 'nonsense'\nhost = 1 / 0\n",
    "endless": changed("level[w] = depth + 1;", "while (true) level[w] = depth + 1;"),
    "a file": changed('// größe: one level', '#include "/etc/passwd"'),
    "another exercise's headers": changed("// größe: one level", '#include "status_array.cu"'),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_lose_the_case(name: str, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    assert lost(ATTACKS[name], tmp_path) is not None
    left = {path.name for path in tmp_path.iterdir()} - set(before)
    assert left <= {"submission.py", "submission.kernel.cu"}


@pytest.mark.slow
def test_a_kernel_that_does_not_end_is_ended_before_the_clock_does_it(tmp_path: Path) -> None:
    found = lost(ATTACKS["endless"], tmp_path)
    assert found.reason == "fault"
    assert "submission.py:" in found.location


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "09-own" / "exercises" / "all"
    made.mkdir(parents=True)
    (made / "exercise.toml").write_text(
        'title = "All"\nkind = "drive"\nhints = ["One.", "Two."]\nown_kernel = true\n'
        '[search]\ntechnique = "status-array"\n'
        '[[cases]]\nname = "one"\npoints = 4\ngiven = { graph = "path:6", source = 0 }\n'
        '[[cases]]\nname = "two"\npoints = 6\ngiven = { graph = "kron:6,seed={seed}" }\n'
        "hidden = true\n"
    )
    return made


@pytest.mark.slow
def test_a_whole_grading_names_the_file_that_was_handed_in(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(DRIVER)
    assert grade(load(folder), file, "a secret").got == 10
    file.write_text(changed("neighbours[e]", "neighbours[e + 1000]"))
    made = grade(load(folder), file, "a secret")
    assert made.got == 0
    for outcome in made.outcomes:  # the hidden one, too: lines, and no data
        assert outcome.failure is not None
        assert "mine.py:" in outcome.failure.detail + outcome.failure.location
        assert "kernel.cu" not in "".join(vars(outcome.failure).values())
    hidden = made.outcomes[1].failure
    assert hidden is not None
    assert "thread" not in hidden.message
    file.write_text("def search(host, graph, source):\n    return host.levels(1, 0)\n")
    (first, second) = grade(load(folder), file, "a secret").outcomes
    assert first.failure is not None
    assert first.failure.message == "there is no constant KERNEL in the file"
    assert second.failure is not None


def test_the_key_is_a_truth_value(folder: Path) -> None:
    assert load(folder).fields == {"own_kernel": True}
    path = folder / "exercise.toml"
    path.write_text(path.read_text().replace("= true\n[s", '= "yes"\n[s'))
    with pytest.raises(UsageError, match="own_kernel is 'yes'"):
        load(folder)


def test_steps_are_refused_in_words(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(DRIVER)
    words = "kernels and their driver"
    with (
        pytest.raises(UsageError, match=words) as caught,
        rerun.opened(load(folder), file),
    ):
        pass
    assert "printf" in caught.value.hint


def test_check_reads_the_kernels_of_a_driver(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(DRIVER)
    made = CliRunner().invoke(group, ["check", str(file)])
    assert made.exit_code == 0, made.output
    assert "step(" in made.output
    file.write_text(changed("int w = n", "int w n"))
    made = CliRunner().invoke(group, ["check", str(file)])
    assert made.exit_code == 2
    assert "mine.py:10:10" in made.output
    file.write_text("KERNEL = 3\n")
    made = CliRunner().invoke(group, ["check", str(file)])
    assert "KERNEL is not a text" in str(made.exception)
    file.write_text(SEARCH)
    made = CliRunner().invoke(group, ["check", str(file)])
    assert "is Python and no CUDA" in str(made.exception)


def test_similar_kernels_in_drivers_are_found() -> None:
    own = [word for word in words(DRIVER, ".py") if word.text == "__global__"]
    assert [word.line for word in own] == [5]
    assert len(words(DRIVER, ".py")) > len(words(SEARCH, ".py")) + 80
