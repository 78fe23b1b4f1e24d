import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

import gpubfs
from gpubfs.grading.notebooks.listing import Listing
from gpubfs.measure.annotate import annotated
from gpubfs.render.sheets import Column, Sheet, bar, figure, percentage, ratio, short, speed
from gpubfs.search.result import OWN_TIME
from gpubfs.show.tables import level_sheet, run_sheets, techniques_sheet


def printed(thing, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None, force_terminal=False)
    console.print(thing)
    return console.file.getvalue()


def trimmed(thing, width: int = 80) -> list[str]:
    return [line.rstrip() for line in printed(thing, width).splitlines()]


SMALL = Sheet(
    "sizes",
    (Column("name"), Column("first", figures=True), Column("second", figures=True)),
    (("a heading of some length",), ("one", "1", "10"), ("two", "22", "20")),
    ("a note",),
)


def test_a_sheet_at_fixed_width() -> None:
    assert trimmed(SMALL) == [
        "sizes",
        "name                       first   second",
        "─" * 41,
        "a heading of some length",
        "one                            1       10",
        "two                           22       20",
        "a note",
    ]


def test_a_sheet_too_wide_continues_below() -> None:
    lines = trimmed(SMALL, 38)
    assert "sizes, continued" in lines
    assert sum(line.startswith("two") for line in lines) == 2
    assert max(map(cell_len, lines)) <= 38


def test_optional_columns_go_first() -> None:
    columns = (Column("name"), Column("unit", optional=True), Column("value", figures=True))
    sheet = Sheet("t", columns, (("load_requests", "requests", "1,234"),))
    assert "unit" in printed(sheet, 80)
    assert "unit" not in printed(sheet, 24)
    assert "continued" not in printed(sheet, 24)


def test_html_escapes_and_spans() -> None:
    html = Sheet(
        "a & b", (Column("x"), Column("y", figures=True)), (("<head>",), ("p", "q"))
    ).html()
    assert "<caption>a &amp; b</caption>" in html
    assert '<th colspan="2" style="text-align:left">&lt;head&gt;</th>' in html
    assert '<td style="text-align:right">q</td>' in html


def test_source_keeps_its_indentation_on_a_page(done: gpubfs.Run) -> None:
    for sheet in annotated(done, "scan_free.cu"):
        html = sheet.html()
        assert (
            '<td style="text-align:left;white-space:pre;font-family:monospace;padding:1px .35em">  '
            in html
        )
        assert html.count("<th ") == html.count(';padding:1px .35em">', 0, html.index("<td "))
        assert "<td>" not in html  # notebooks put such a cell to the right
        assert "<th>" not in html


def test_markup_in_cells_is_text() -> None:
    assert "[bold]" in printed(Sheet("t", (Column("c"),), (("[bold]x",),)))


@pytest.fixture(scope="module")
def done() -> gpubfs.Run:
    return gpubfs.run("scan-free", "karate", 0)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_tables_keep_to_the_width(done, width) -> None:
    sheets = [*run_sheets(done), level_sheet(done), *annotated(done, "scan_free.cu")]
    sheets.append(techniques_sheet(gpubfs.techniques().values()))
    for sheet in sheets:
        assert max(map(cell_len, printed(sheet, width).splitlines())) <= width


def test_a_run_says_what_it_found(done) -> None:
    text = printed(done, 100)
    for words in (
        "karate: 34 vertices",
        "verified",
        "yes",
        "load_requests",
        "next_size[0]",
        "MTEPS",
    ):
        assert words in text
    assert "not counted" not in text
    assert done._repr_html_().count("<table>") == 2


def test_what_was_not_counted_is_said_with_the_reason() -> None:
    text = printed(gpubfs.run("scan-free", "toy", counters=False), 100)
    assert "not counted: counting was switched off" in text
    assert "load_requests" not in text
    assert "launches" in text


def test_levels_of_which_nothing_was_counted_have_no_columns_for_it() -> None:
    run = gpubfs.run("scan-free", "toy", counters=False)
    known = [launch for launch in run.per_launch if launch.counters is None]
    assert known == list(run.per_launch)
    titles = [column.title for column in level_sheet(run).columns]
    assert titles == ["level", "frontier", "launches", "seconds"]


def test_levels_have_a_row_each(done) -> None:
    lines = trimmed(level_sheet(done), 120)
    assert lines[-1] == OWN_TIME
    assert [line.split()[:3] for line in lines[3:-1]] == [
        ["0", "1", "1"],
        ["1", "16", "1"],
        ["2", "9", "1"],
        ["3", "8", "1"],
    ]


def test_many_levels_are_shown_at_both_ends() -> None:
    text = printed(level_sheet(gpubfs.run("scan-free", "path:60", 0)), 120)
    assert "20 levels in the middle are not shown" in text
    assert "\n   59 " in text


def test_annotated_source_has_figures_beside_their_lines(done) -> None:
    (sheet,) = annotated(done, "scan_free.cu")
    text = printed(sheet, 140)
    line = next(line for line in text.splitlines() if "neighbours[e]" in line)
    site = next(site for site in done.sites if site.array == "neighbours")
    moved = sum(site.sectors for site in done.sites)
    assert line.split()[:6] == [
        "ld",
        str(site.requests),
        str(site.sectors),
        bar(site.sectors / moved, 5),
        f"{site.sectors / site.requests:.2f}",
        str(site.lanes),
    ]
    assert "↳ next_size" in text
    assert "swaps failed" in text


def test_headers_are_annotated_after_the_kernel() -> None:
    sheets = annotated(gpubfs.run("block-prefix-sum", "karate"), "block_prefix_sum.cu")
    assert [sheet.title.partition(":")[0] for sheet in sheets] == [
        "block_prefix_sum.cu",
        "block_scan.cuh",
        "warp_scan.cuh",
    ]
    assert "warp_totals" in printed(sheets[1], 140)


def test_the_catalogue_lists_papers_and_options() -> None:
    text = " ".join(printed(techniques_sheet(gpubfs.techniques().values()), 160).split())
    for words in ("status-array", "XBFS", "2007", "edges_per_thread=4"):
        assert words in text


def test_figures() -> None:
    assert figure(1234567) == "1,234,567"
    assert [figure(value) for value in (0.0, 0.25, 0.0449, -0.000032)] == [
        "0.00",
        "0.25",
        "0.0449",
        "-0.0000320",
    ]
    assert figure(None) == percentage(None) == "not counted"
    assert short(999_499) == "999 k"
    assert short(999_500) == "1 M"
    assert speed(0.5) == "0.5"
    assert ratio(1, 4) == "×0.25"


NARROW = [40, 48, 60, 80, 100]


def solid(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def large() -> gpubfs.Run:
    """A run whose counters have up to ten digits."""
    done = gpubfs.run("block-prefix-sum", "kron:7")
    counters = {
        name: value * 1_000_003 if isinstance(value, int) else value
        for name, value in done.counters.items()
    }
    return replace(done, counters=counters)


@pytest.mark.parametrize("width", NARROW)
def test_no_figure_of_a_run_is_cut(large, width) -> None:
    for sheet in run_sheets(large):
        text = printed(sheet, width)
        assert max(map(cell_len, text.splitlines())) <= width
        for row in sheet.rows:
            assert row[0].strip() in text
            for column, cell in zip(sheet.columns, row, strict=False):
                assert not column.figures or cell in text
    assert any("," in row[1] and len(row[1]) > 12 for row in run_sheets(large)[1].rows if row[1:])


@pytest.mark.parametrize("width", NARROW)
def test_no_figure_of_a_comparison_is_cut(large, width) -> None:
    labels = ("scan-free", "block-prefix-sum:block=64", "status-array on gpu")
    sheet = gpubfs.Comparison((large, large, large), labels).sheet()
    text = printed(sheet, width)
    assert max(map(cell_len, text.splitlines())) <= width
    for row in sheet.rows:
        assert row[0] in text
        for cell in row[2:]:
            assert solid(cell) in solid(text)


@pytest.mark.parametrize("width", NARROW)
def test_annotated_source_keeps_its_figures(done, width) -> None:
    (sheet,) = annotated(done, "scan_free.cu")
    text = printed(sheet, width)
    for row in sheet.rows:
        assert all(cell in text for cell in row[:-1])


def test_a_row_that_does_not_fit_stands_below_its_name() -> None:
    columns = (Column("counter"), Column("unit", optional=True), Column("run", figures=True))
    sheet = Sheet("t", columns, (("global",), ("load_requests", "requests", "1,234,567")))
    assert trimmed(sheet, 20) == ["t", "global", "load_requests", "  run 1,234,567"]


def test_the_hottest_lines_have_a_mark_and_a_colour(done) -> None:
    (sheet,) = annotated(done, "scan_free.cu")
    moved = sum(site.sectors for site in done.sites)
    for number in {site.line for site in done.sites}:
        share = sum(site.sectors for site in done.sites if site.line == number) / moved
        mark = "►►" if share >= 0.25 else "►" if share >= 0.05 else ""
        at = next(at for at, row in enumerate(sheet.rows) if row[-2].strip("►") == str(number))
        assert sheet.rows[at][-2] == f"{mark}{number}"
        assert sheet.heats[at] == len(mark)
    assert 2 in sheet.heats
    html = sheet.html()
    assert html.count("<tr style=") == sum(degree > 0 for degree in sheet.heats)
    assert "color:" not in html.replace("background", "")  # text keeps the notebook's own colour
    console = Console(file=io.StringIO(), width=140, force_terminal=True, color_system="standard")
    console.print(sheet)
    hot = [line for line in console.file.getvalue().splitlines() if "►►" in line]
    assert len([line for line in hot if "\x1b[1;31m" in line]) == sheet.heats.count(2)


def test_source_on_a_page_is_in_one_width_and_at_the_left(done) -> None:
    (sheet,) = annotated(done, "scan_free.cu")
    assert sheet._repr_html_() == sheet.html()
    assert '<table style="font-family:monospace;margin:0;' in sheet.html()
    assert "font-family" not in level_sheet(done).html()
    assert "text-align:left" in Listing("a.cu", "int i;\n")._repr_html_()
