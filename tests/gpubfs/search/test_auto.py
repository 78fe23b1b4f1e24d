"""Options that are left to the graph and the machine."""

from __future__ import annotations

import pytest

import gpubfs
from gpubfs.search.catalogue import find
from gpubfs.search.distribution import width_for


@pytest.mark.parametrize(
    ("degree", "width"), [(0, 1), (1, 1), (1.1, 2), (2, 2), (17, 32), (32, 32), (500, 32)]
)
def test_width_is_the_power_of_two_that_is_not_below_the_average(degree: float, width: int) -> None:
    assert width_for(degree, 32) == width


@pytest.mark.parametrize(("spec", "width"), [("path:40", 2), ("grid:30x30", 4), ("kron:9", 32)])
def test_runs_say_what_was_chosen(spec: str, width: int) -> None:
    done = gpubfs.run("virtual-warp", spec)
    assert done.options["width"] == width
    assert done.as_dict()["options"]["width"] == width


def test_a_width_that_is_chosen_fits_the_warp() -> None:
    assert gpubfs.run("virtual-warp", "kron:7", device="toy4", block=4).options["width"] == 4


def test_a_width_that_is_given_stays() -> None:
    assert gpubfs.run("virtual-warp", "kron:7", width=2).options["width"] == 2
    assert gpubfs.run("virtual-warp", "kron:7", width="8").options["width"] == 8


def test_other_words_are_refused() -> None:
    with pytest.raises(gpubfs.UsageError, match="width=wide makes no sense"):
        gpubfs.run("virtual-warp", "toy", width="wide")


@pytest.mark.slow
def test_yes_and_no_may_be_left_to_the_graph_too() -> None:
    for given, settled in (("auto", True), ("no", False), (True, True)):
        done = gpubfs.run("best", "er:8,8", stages="bytemap", filter=given)
        assert done.options["filter"] is settled
    with pytest.raises(gpubfs.UsageError, match="filter=perhaps makes no sense"):
        gpubfs.run("best", "toy", filter="perhaps")


def test_catalogue_names_the_choice() -> None:
    option = next(o for o in find("virtual-warp").as_dict()["options"] if o["name"] == "width")
    assert option["default"] == "auto"
    assert option["choices"][0] == "auto"
    assert "choose" not in option
