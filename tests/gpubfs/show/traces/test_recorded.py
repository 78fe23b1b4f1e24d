"""Every technique on the toy graph, step by step, as it was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.search.catalogue import techniques
from tests.gpubfs.show.traces import figures_as_recorded as figures
from tests.gpubfs.show.traces.recording import FOLDER, RECORDED, recording, text, traced
from tests.gpubfs.techniques.shipped import skip_added
from tests.sampling import sampled


@pytest.mark.parametrize("name", techniques())
def test_every_technique_is_recorded(name: str) -> None:
    skip_added(name, {technique for technique, _, _ in RECORDED.values()}, "recorded trace")


def test_no_record_is_of_what_is_not_there() -> None:
    assert {name for name, _, _ in RECORDED.values()} <= set(techniques())
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(RECORDED)


@pytest.mark.parametrize("name", sampled(RECORDED, 14))
def test_a_trace_is_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    held, now = (FOLDER / f"{name}.txt").read_text("utf-8"), recording(name)
    if now != held:
        (tmp_path / f"{name}.txt").write_text(now, "utf-8")
        pairs = zip(held.splitlines(), now.splitlines(), strict=False)
        number, (old, new) = next(
            ((n, p) for n, p in enumerate(pairs) if p[0] != p[1]), (-1, ("", ""))
        )
        at = int(new.split()[0]) - 1 if new[:5].strip().isdecimal() else None
        frame = text(traced(name), at) if at is not None else ""
        pytest.fail(
            f"line {number + 1} was\n{old}\nand is\n{new}\n{frame}"
            f"all of it: {tmp_path}/{name}.txt; if it is meant: "
            "python -m tests.gpubfs.show.traces.recording"
        )


@pytest.mark.parametrize("name", figures.FIGURES)
def test_the_frames_of_figures_are_as_recorded(name: str) -> None:
    recorded = figures.path(name).read_text(encoding="utf-8")
    assert figures.as_text(figures.FIGURES[name]()) == recorded
