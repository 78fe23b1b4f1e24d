"""Experiments that something ends: what was measured until then is printed, and nothing else."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.experiments import lab
from gpubfs.graphs import Graph
from gpubfs.search.result import Run

#: Experiments with the graphs of which the second is not measured to its end.
COMMANDS = [
    ("busato-balance", "toy", "star:9"),
    ("dfq-speedup", "kron:6", "star:9"),
]


def _ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _term() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _error() -> None:
    raise UsageError("there is no more memory", "take a smaller graph")


def _defect() -> None:
    raise ZeroDivisionError


ENDS = [(_ctrl_c, 130), (_term, 128 + signal.SIGTERM), (_error, 2)]


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None], str, int], None]:
    """Let something happen in the searches of a graph, once so many were done."""

    def begin(end: Callable[[], None], spec: str, after: int) -> None:
        made = lab.open_lab

        def opened(*given: Any) -> lab.Lab:
            done: list[str] = []

            def run(technique: str, graph: Graph, **options: Any) -> Run:
                if graph.spec == spec:
                    if len(done) >= after:
                        end()
                    done.append(technique)
                return gpubfs.run(technique, graph, **options)

            return replace(made(*given), run=run)

        monkeypatch.setattr(lab, "open_lab", opened)

    return begin


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["experiment", *arguments])
    return int(caught.value.code or 0), *capsys.readouterr()


@pytest.mark.slow
@pytest.mark.parametrize(("end", "code"), ENDS)
def test_the_values_are_printed_without_verdicts(ending, capsys, monkeypatch, end, code) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    ending(end, "star:9", 2)
    given = ("busato-balance", "--graph", "toy", "--graph", "star:9")
    ended, out, err = command(capsys, *given)
    assert ended == code
    series = [line.split("  ")[0] for line in out.splitlines()]
    assert series.count("thread-per-vertex") == 2
    assert series.count("warp-shuffle") == 1
    assert "not decided: 12 points were measured" in out
    assert "agrees" not in out
    assert ("there is no more memory" in err) == (end is _error)
    ended, out, err = command(capsys, *given, "--json")
    assert ended == code
    made = json.loads(out)
    assert (len(made["points"]), made["verdicts"], made["complete"]) == (12, [], False)


@pytest.mark.parametrize(("name", "first", "second"), COMMANDS)
def test_every_stop_leaves_what_came_before(ending, capsys, name, first, second) -> None:
    whole = gpubfs.experiment(name, graphs=[first, second])
    assert "complete" not in whole.as_dict()
    ending(_ctrl_c, second, 1)
    ended, out, _ = command(capsys, name, "--graph", first, "--graph", second, "--json")
    assert ended == 130
    points = json.loads(out)["points"]
    everything = json.loads(json.dumps(whole.as_dict()))["points"]
    assert 0 < len(points) < len(everything)
    assert points == everything[: len(points)]


def test_where_nothing_was_measured_nothing_is_printed(ending, capsys) -> None:
    ending(_ctrl_c, "toy", 0)
    assert command(capsys, "busato-balance", "--graph", "toy") == (130, "", "stopped\n")


def test_no_picture_is_drawn_of_a_part(ending, capsys, tmp_path) -> None:
    ending(_ctrl_c, "star:9", 1)
    given = ("busato-balance", "--graph", "toy", "--graph", "star:9")
    ended, out, _ = command(capsys, *given, "--picture", str(tmp_path / "bars.svg"))
    assert (ended, list(tmp_path.iterdir())) == (130, [])
    assert "not decided: 11 points were measured" in out


def test_a_defect_is_shown_with_what_was_measured(ending, capsys) -> None:
    ending(_defect, "star:9", 1)
    with pytest.raises(ZeroDivisionError):
        main(["experiment", "busato-balance", "--graph", "toy", "--graph", "star:9"])
    assert "thread-per-vertex" in capsys.readouterr().out
