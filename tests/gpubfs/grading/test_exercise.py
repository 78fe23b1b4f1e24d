"""What an exercise may say: a mistake in it is told with the place, and never graded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.loading import exercises, load, refuse_strays
from gpubfs.grading.names import check_graph, problem_counters, search_counters
from gpubfs.search.catalogue import techniques
from tests.timing import soon

LESSONS = Path(__file__).parents[3] / "lessons"

HEAD = 'title = "T"\nkind = "write"\nhints = ["Look."]\n'
CASE = '[[cases]]\nname = "first"\npoints = 3\n'
OWN = HEAD + CASE
SEARCH = f'{HEAD}search = {{ technique = "scan-free" }}\n{CASE}'
GRAPH = 'given = { graph = "path:6", source = 0 }\n'
ASK = HEAD.replace("write", "predict") + CASE


def written(folder: Path, text: str, *files: str) -> Path:
    made = folder / "lessons" / "00-any" / "exercises" / "some"
    made.mkdir(parents=True)
    (made / "exercise.toml").write_text(text)
    for name in files:
        (made / name).write_text("")
    return made


def refused(folder: Path, text: str, *words: str, files: tuple[str, ...] = ("problem.py",)) -> None:
    with pytest.raises(UsageError) as caught:
        load(written(folder, text, *files))
    told = str(caught.value)
    assert "exercise.toml" in told
    assert "Traceback" not in told
    for part in words:
        assert part in told


def test_what_is_right_is_read(tmp_path: Path) -> None:
    text = OWN + 'sanitize = "race, init"\nlimits = { "work.maximum" = 3, launches = 2 }\n'
    (case,) = load(written(tmp_path, text, "problem.py")).cases
    assert case.sanitize == "race,init"
    assert case.limits == {"work.maximum": 3, "launches": 2}
    assert [one.points for one in exercises(tmp_path)] == [3]


def test_a_case_may_have_a_device_of_its_own(tmp_path: Path) -> None:
    text = HEAD + 'device = "toy2"\n' + CASE + CASE.replace("first", "second") + 'device = "h200"\n'
    made = load(written(tmp_path, text, "problem.py"))
    assert [made.device_of(case) for case in made.cases] == ["toy2", "h200"]
    refused(tmp_path / "other", text.replace("h200", "h2000"), "h2000")


def test_counters_for_limits_alone_are_known(tmp_path: Path) -> None:
    limits = "limits = { merged_load_requests = 3, idle_share = 0.5 }\n"
    (case,) = load(written(tmp_path, OWN + limits, "problem.py")).cases
    assert dict(case.limits) == {"merged_load_requests": 3, "idle_share": 0.5}
    asked = ASK + 'given = { counter = "idle_share" }\n'
    refused(tmp_path / "other", asked, "idle_share", files=("problem.py", "kernel.cu"))


VALUES = {
    "points as text": ("points = 3", 'points = "3"', "case 'first': points is '3'"),
    "no points": ("points = 3", "points = 0", "points is 0", "above 0"),
    "negative points": ("points = 3", "points = -2", "points is -2"),
    "points that are none": ("points = 3", "points = nan", "points is nan"),
    "points that are true": ("points = 3", "points = true", "points is True"),
    "no name": ('name = "first"', 'name = ""', "name is empty"),
    "a number as name": ('name = "first"', "name = 3", "name is 3"),
    "hints as text": ('["Look."]', '"Look."', "hints is 'Look.'"),
    "no hints": ('["Look."]', "[]", "hints is empty"),
    "a title that is none": ('"T"', "7", "title is 7"),
    "another kind": ('"write"', '"wrte"', "did you mean write?"),
    "a kind that is none": ('"write"', "3", "kind is 3"),
    "no seconds": (HEAD, HEAD + "seconds = -1\n", "seconds is -1"),
    "infinite seconds": (HEAD, HEAD + "seconds = inf\n", "seconds is inf"),
    "memory as text": (HEAD, HEAD + 'memory = "1 GiB"\n', "memory is '1 GiB'"),
    "half a step": (HEAD, HEAD + "steps = 1.5\n", "steps is 1.5"),
    "no steps": (HEAD, HEAD + "steps = 0\n", "steps is 0"),
    "includes as text": (HEAD, HEAD + 'includes = "csr.cuh"\n', "includes is 'csr.cuh'"),
    "one case": (CASE, CASE.replace("[[cases]]", "[cases]"), "begin each case with [[cases]]"),
    "no cases": (CASE, "cases = []\n", "cases is empty"),
    "search as text": (HEAD, HEAD + 'search = "scan-free"\n', "search is 'scan-free'"),
    "an unknown header": (HEAD, HEAD + 'includes = ["csr.ch"]\n', "did you mean csr.cuh?"),
    "a path": (HEAD, HEAD + 'includes = ["../host.py"]\n', "there is no header"),
    "an unknown device": (HEAD, HEAD + 'device = "h300"\n', "did you mean h200?"),
    "an unknown key": (HEAD, HEAD + "second = 3\n", "did you mean seconds?"),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_of_the_wrong_kind_are_refused(name: str, tmp_path: Path) -> None:
    old, new, *words = VALUES[name]
    assert old in OWN
    refused(tmp_path, OWN.replace(old, new), *words)


LINES = {
    'hidden = "yes"': ("'first'", "hidden is 'yes'", "give true or false"),
    "hidden = 1": ("'first'", "hidden is 1"),
    "given = 7": ("given is 7",),
    'schedules = "lockstep"': ("schedules is 'lockstep'",),
    "schedules = []": ("schedules is empty",),
    'schedules = ["lockstp"]': ("case 'first'", "lockstp", "did you mean `lockstep`?"),
    'schedules = ["random"]': ("has no seed", "random:1"),
    "sanitize = true": ("sanitize is True",),
    "steps = 0": ("'first'", "steps is 0", "whole number"),
    'sanitize = "al"': ('there is no sanitizer of case \'first\'', '"al"', "did you mean all?"),
    'sanitize = "race;init"': ("there is no sanitizer",),
    "limits = 3": ("limits is 3",),
    "limits = { sectors_per_reqest = 5 }": ("'first'", "did you mean sectors_per_request?"),
    "limits = { load_sectors = -5 }": ("limit load_sectors is -5",),
    'limits = { load_sectors = "5" }': ("limit load_sectors is '5'",),
    "limits = { work.maximum = 5 }": ("limit work is", '"work.maximum" = 3'),
    "limits = { hottest_address = 5 }": ("there is no counter of case 'first'",),
    "limits = { work = 5 }": ("there is no counter", "did you mean work"),
    "limits = { host_reads = 5 }": ("there is no counter",),  # nobody's host
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_case_says_only_what_there_is(line: str, tmp_path: Path) -> None:
    refused(tmp_path, f"{OWN}{line}\n", *LINES[line])


SEARCHES = {
    'given = { source = 0 }': ("case 'first' does not say its graph",),
    'given = { graph = 7 }': ("does not say its graph",),
    'given = { graph = "krn:6" }': ("case 'first'", "did you mean kron?"),
    'given = { graph = "kron:x" }': ("case 'first'", "'x' in kron:x is not a whole number"),
    'given = { graph = "kron:6,sed={seed}" }': ("did you mean seed?",),
    'given = { graph = "grid:3x{seed}x" }': ("is not a whole number",),
    'given = { graph = "karate:3" }': ("takes no size",),
    'given = { graph = "path:6", source = -1 }': ("source is -1",),
    'given = { graph = "path:6", source = "hub" }': ("source is 'hub'",),
    'given = { graph = "path:6", blok = 32 }': ("case 'first'", "did you mean block?"),
    'given = { graph = "path:6", block = 33 }': ("case 'first'", "block=33"),
    'given = { graph = "path:6", technique = "scan-free" }': ('named "technique"',),
    'given = { graph = "path:6", frontiers = true }': ('named "frontiers"',),
    f'{GRAPH}limits = {{ "bytes_by_name.queue" = 3 }}': ('"bytes_by_name.queue"',),
}  # fmt: skip


@pytest.mark.parametrize("line", SEARCHES)
def test_a_search_asks_only_for_what_there_is(line: str, tmp_path: Path) -> None:
    refused(tmp_path, f"{SEARCH}{line}\n", *SEARCHES[line], files=())


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ('{ technique = "scanfree" }', "did you mean scan-free?"),
        ('{ technique = "scan-free", blok = 3 }', "did you mean block?"),
        ('{ technique = "scan-free", frontiers = 1 }', "frontiers is no truth value"),
        ("{ block = 32 }", "[search] does not say its technique"),
    ],
)
def test_a_technique_is_named_and_its_options_are_its_own(
    search: str, words: str, tmp_path: Path
) -> None:
    text = SEARCH.replace('{ technique = "scan-free" }', search) + GRAPH
    refused(tmp_path, text, words, files=())


def test_counters_of_searches_may_be_limited(tmp_path: Path) -> None:
    limits = "host_reads = 5, \"bytes_by_name.next\" = 9, 'work_per_warp.imbalance' = 2"
    made = load(written(tmp_path, f"{SEARCH}{GRAPH}limits = {{ {limits} }}\n"))
    assert len(made.cases[0].limits) == 3


def test_drivers_name_their_arrays(tmp_path: Path) -> None:
    text = SEARCH.replace('"write"', '"drive"') + GRAPH + 'limits = { "bytes_by_name.mine" = 9 }\n'
    assert load(written(tmp_path, text)).cases[0].limits


def test_a_driver_needs_a_technique(tmp_path: Path) -> None:
    refused(tmp_path, OWN.replace('"write"', '"drive"'), "does not say its technique")


QUESTIONS = {
    "given = { size = 3 }": ("case 'first' does not say its counter",),
    'given = { counter = "load_sector" }': ("'first'", "did you mean load_sectors?"),
    'given = { counter = "host_reads" }': ("there is no counter",),
    'given = { counter = "launches", within = "much" }': ("within is 'much'",),
    'given = { counter = "launches", within = -1 }': ("within is -1",),
    'given = { counter = "launches", technique = "scn-free", graph = "toy" }': (
        "case 'first'", "did you mean scan-free?"),
    'given = { counter = "launches", technique = "scan-free" }': ("does not say its graph",),
    'given = { counter = "launches", technique = "scan-free", graph = "kron:5,seed={seed}" }': (
        "is not a whole number",),
    'given = { counter = "launches", technique = "scan-free", graph = "toy", schedule = "a" }': (
        "case 'first'", "there is no schedule 'a'"),
    'given = { counter = "hottest_address", technique = "scan-free", graph = "toy" }': (
        "there is no counter",),
    'given = { counter = "bytes_by_name.queu", technique = "central-queue", graph = "toy" }': (
        "did you mean bytes_by_name.queue?",),
}  # fmt: skip


@pytest.mark.parametrize("line", QUESTIONS)
def test_a_question_asks_only_for_what_there_is(line: str, tmp_path: Path) -> None:
    refused(tmp_path, f"{ASK}{line}\n", *QUESTIONS[line], files=("problem.py", "kernel.cu"))


@pytest.mark.parametrize(
    ("text", "files", "missing"),
    [
        (OWN, (), "problem.py"),
        (OWN, ("problem.pyc",), "problem.py"),
        (ASK + 'given = { counter = "launches" }\n', ("problem.py",), "kernel.cu"),
        (ASK + 'given = { counter = "launches" }\n', ("kernel.cu",), "problem.py"),
    ],
)
def test_files_that_are_needed_must_be_there(
    text: str, files: tuple[str, ...], missing: str, tmp_path: Path
) -> None:
    refused(tmp_path, text, f"has no {missing}", files=files)


@pytest.mark.parametrize("spec", ["kron:30", "delaunay:1000000000", "file:none.txt", "tutte"])
def test_graphs_are_looked_at_and_not_made(spec: str) -> None:
    with soon(2):
        check_graph(spec)


def test_known_counters_are_those_of_runs() -> None:
    """Every number that a run counts can be limited, and nothing else."""
    import gpubfs
    from gpubfs.search.counters import value

    for name in ("central-queue", "scan-free"):
        found = gpubfs.run(name, "path:4", source=0)
        for counter in search_counters(techniques()[name]):
            assert isinstance(value(found.counters, counter), int | float), counter
        arrays = {f"bytes_by_name.{array}" for array in found.counters["bytes_by_name"]}
        tops = {key for key, held in found.counters.items() if isinstance(held, int | float)}
        assert arrays | tops <= set(search_counters(techniques()[name]))
    assert set(problem_counters()) < set(search_counters(techniques()["scan-free"]))


def test_all_exercises_are_read_in_no_time() -> None:
    exercises(LESSONS)  # imports
    with soon(1):
        assert len(exercises(LESSONS)) > 20


def test_help_does_not_wait_for_what_exercises_are_checked_with() -> None:
    code = (
        "import sys; from gpubfs.cli.main import main\n"
        "slow = {'simulator', 'scipy', 'gpubfs.grading.names'}\n"
        "try: main(['grade', '--help'])\n"
        "finally: assert not slow & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["problem.py", "solution.cu", "solution.toml"])
def test_an_exercise_without_its_file_is_told(name: str, tmp_path: Path) -> None:
    folder = written(tmp_path, OWN, name)
    refuse_strays(tmp_path)
    (folder / "exercise.toml").rename(folder / "exercise.tml")
    with pytest.raises(UsageError, match=f"has a {name}, and no exercise.toml") as caught:
        refuse_strays(tmp_path)
    assert "rename exercise.tml" in caught.value.hint


def test_hidden_folders_and_other_files_are_no_exercises(tmp_path: Path) -> None:
    for name in (".ipynb_checkpoints/problem.py", "00-any/solution.md", "00-any/kernel.cu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    refuse_strays(tmp_path)
