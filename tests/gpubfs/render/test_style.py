"""The style of pictures: texts that are read, series without colours, paper of their own."""

from __future__ import annotations

import io
from itertools import combinations

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from gpubfs.render.drawing import bars, lines, panels
from gpubfs.render.scales import mark
from gpubfs.render.style import COLOURS, PAPER, new_figure, own_style, wrapped
from tests.gpubfs.render.readable import faults

LONG = "a-technique-with-a-long-name,block=128,capacity=2048,loop=persistent"

#: What eyes without one kind of cones see, on linear colours (Viénot, Brettel and Mollon, 1999).
DICHROMATS = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}


def picture(series: int = 3, scale: str = "ratio", kind: str = "bars") -> Figure:
    with own_style():
        figure = new_figure(f"a title that is long: {LONG} on {LONG} by machine sim (h200)")
        for axes in panels(figure, [LONG, "short"], across=1):
            names = [f"{LONG},{number}" for number in range(series)]
            if kind == "bars":
                heights = {name: [0.5, 2.0, None, 0] for name in names}
                bars(axes, [LONG, "b", "c", "d"], heights, "graph", LONG, scale=scale)
            else:
                curves = {name: [(1, 2.0), (2, 0.0), (3, None), (4, 1e6)] for name in names}
                lines(axes, curves, LONG, LONG, scale=scale)
    return figure


@pytest.mark.parametrize("kind", ["bars", "lines"])
@pytest.mark.parametrize("scale", ["linear", "log", "ratio", "symlog"])
def test_long_texts_are_wrapped_and_not_cut_off(kind: str, scale: str) -> None:
    assert faults(picture(9, scale, kind)) == []


def test_what_covers_other_text_or_leaves_the_picture_is_found() -> None:
    figure = picture()
    figure.axes[0].text(0.5, 0.5, "one", transform=figure.transFigure)
    figure.axes[0].text(0.5, 0.5, "two", transform=figure.transFigure)
    figure.axes[0].text(1.0, 0.3, "outside", transform=figure.transFigure).set_in_layout(False)
    found = faults(figure)
    assert any("'one' covers 'two'" in fault for fault in found)
    assert "'outside' is cut off" in found


def test_series_differ_in_more_than_colours_and_each_is_named_once() -> None:
    figure = picture(10)
    first, second = ([c[0] for c in axes.containers] for axes in figure.axes)
    looks = [(bar.get_facecolor(), bar.get_hatch()) for bar in first]
    assert len(set(looks)) == 10
    assert [bar.get_hatch() for bar in second] == [bar.get_hatch() for bar in first]
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 10
    assert not any(axes.get_legend() for axes in figure.axes)
    curves = picture(8, kind="lines").axes[0].get_lines()[:8]
    assert len({line.get_marker() for line in curves}) == 8


@pytest.mark.parametrize("eyes", DICHROMATS)
def test_colours_differ_for_eyes_without_one_kind_of_cones(eyes: str) -> None:
    def seen(colour: str) -> tuple[float, ...]:
        linear = [part**2.2 for part in to_rgb(colour)]
        mixed = (sum(f * p for f, p in zip(row, linear, strict=True)) for row in DICHROMATS[eyes])
        return tuple(max(part, 0) ** (1 / 2.2) for part in mixed)

    for one, other in combinations([*COLOURS, PAPER], 2):
        distance = sum((a - b) ** 2 for a, b in zip(seen(one), seen(other), strict=True)) ** 0.5
        assert distance > 0.12, (one, other)


def test_a_picture_brings_its_paper_and_leaves_the_users_style_alone() -> None:
    with mpl.rc_context({"text.color": "white", "figure.facecolor": "black"}):
        figure = picture()
        assert mpl.rcParams["text.color"] == "white"
        assert figure.axes[0].xaxis.label.get_color() != "white"
        written = io.BytesIO()
        figure.savefig(written, format="png", dpi=50)
    image = mpl.image.imread(io.BytesIO(written.getvalue()))
    assert image[0, 0].tolist() == [1, 1, 1, 1]


def test_bars_of_ratios_begin_at_one_and_say_what_is_missing() -> None:
    figure = new_figure("t")
    axes = figure.subplots()
    bars(axes, ["a", "b", "c"], {"s": [2.0, 0.5, None]}, "graph", "ratio", scale="ratio")
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
    assert ends == pytest.approx([2, 0.5, 1])
    assert [text.get_text().strip() for text in axes.texts] == ["missing"]
    assert axes.get_xscale() == "log"


def test_a_value_beyond_all_others_gets_ticks_of_its_own() -> None:
    figure = new_figure("t")
    axes = figure.subplots()
    bars(axes, ["a"], {"s": [1.0]}, "graph", "ratio", scale="ratio")
    mark(axes, "x", 1.9, "the paper's")
    assert faults(figure) == []
    assert axes.get_xlim()[1] > 1.9
    assert max(axes.xaxis.get_ticklocs()) > 1.4


def test_a_line_that_powers_cannot_show_says_so() -> None:
    figure = new_figure("t")
    lines(figure.subplots(), {"a": [(1, 2)], "b": [(1, 0)]}, "x", "y", scale="log")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b (0 everywhere)"]


@pytest.mark.parametrize("scale", ["log", "ratio"])
def test_nothing_positive_to_draw_is_no_error(scale: str) -> None:
    figure = new_figure("t")
    axes = figure.subplots()
    bars(axes, ["a", "b"], {"s": [0, None]}, "graph", "count", scale=scale)
    figure.draw_without_rendering()


def test_lines_are_broken_behind_words_and_parts_of_specifications() -> None:
    assert wrapped("one two", 40) == "one two"
    assert wrapped("standin:LiveJournal,4096", 20) == "standin:LiveJournal,\n4096"
    assert all(len(line) <= 7 for line in wrapped("abcdefghijklmno pq", 7).splitlines())


def test_a_notebook_gets_a_picture_that_dark_themes_turn() -> None:
    picture = new_figure('Reads "a" <b>')
    html = picture._repr_html_()
    assert '<img class="gpubfs-picture" alt="Reads &quot;a&quot; &lt;b&gt;" src="data:' in html
    assert 'data-jp-theme-light="false"] img.gpubfs-picture' in html
