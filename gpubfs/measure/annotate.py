"""A kernel's source with what each of its lines cost, like a profiler's source view."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpubfs.render.heat import HOT, MARKS, WARM, heat
from gpubfs.render.sheets import Column, Row, Sheet, bar, short
from gpubfs.search.result import Run

if TYPE_CHECKING:
    from simulator.observe.counters import Site

#: How the narrow column `op` calls each kind of access.
SHORT_KINDS = {
    "load": "ld",
    "store": "st",
    "atomic": "at",
    "shared_load": "sl",
    "shared_store": "ss",
    "shared_atomic": "sa",
    "distributed_load": "dl",
    "distributed_store": "ds",
    "distributed_atomic": "da",
}

#: Characters of a bar that stands for all sectors.
BAR = 5

LEGEND = (
    "op: ld load, st store, at atomic, on global memory; sl, ss, sa the same on shared memory; "
    "dl, ds, da on that of another block of the cluster",
    f"share: of all sectors that the search moved; {MARKS[1]} line with {WARM:.0%} of them or "
    f"more, {MARKS[2]} with {HOT:.0%} or more",
    "req.: by warps; s/req.: 32-byte sectors a request; div.: branches whose lanes disagreed",
)

COLUMNS = (
    Column("op"),
    *(Column(title, figures=True) for title in ("req.", "sectors")),
    Column("share"),
    *(Column(title, figures=True) for title in ("s/req.", "lanes", "div.")),
    Column("line", figures=True),
    Column("source", text=True, code=True),
)


def annotated(run: Run, kernel: str) -> tuple[Sheet, ...]:
    """Lay out the kernel file and its headers, a row for each line and for each access in it.

    Parameters
    ----------
    run : Run
        A run whose sites were counted.
    kernel : str
        The name of the kernel file, which comes first.
    """
    title = f"{run.technique} on {run.graph.label} from {run.source}"
    return annotated_sites(run.sites or (), kernel, title)


def annotated_sites(counted: Sequence[Site], kernel: str, title: str) -> tuple[Sheet, ...]:
    """Lay out the files in which sites are, a row for each line and for each access in it.

    Parameters
    ----------
    counted : sequence of Site
        What was counted at each place of the source.
    kernel : str
        The name of the kernel file, which comes first.
    title : str
        What was counted, for the captions.
    """
    files: dict[str, list[Site]] = {}
    for site in counted:
        files.setdefault(site.span.source.name, []).append(site)
    ordered = sorted(files, key=lambda name: Path(name).name != kernel)
    moved = sum(site.sectors for site in counted)
    return tuple(_sheet(files[name], moved, title) for name in ordered)


def _sheet(sites: list[Site], moved: int, title: str) -> Sheet:
    """Lay out one file; `moved` are the sectors of all of them."""
    source = sites[0].span.source
    by_line: dict[int, list[Site]] = {}
    for site in sites:
        by_line.setdefault(site.line, []).append(site)
    rows: list[Row] = []
    heats: list[int] = []
    for number, text in enumerate(source.text.expandtabs(4).splitlines(), 1):
        own = by_line.get(number, [])
        degree = heat(sum(site.sectors for site in own) / moved) if moved else 0
        rows += _line(number, text, own, moved, MARKS[degree])
        heats += [degree] * (len(rows) - len(heats))
    caption = f"{Path(source.name).name}: {title}"
    return Sheet(caption, COLUMNS, tuple(rows), LEGEND, len(COLUMNS), 1, tuple(heats))


def _line(number: int, text: str, sites: list[Site], moved: int, mark: str) -> list[Row]:
    """Lay out a line of source with its first access, then its other accesses and remarks.

    `moved` are the sectors of the whole search; `mark` says how hot the line is.
    """
    accesses = [site for site in sites if site.kind in SHORT_KINDS]
    divergent = sum(site.divergent for site in sites)
    branch = short(divergent) if divergent else ""
    figures = [_figures(site, moved) for site in accesses] or [("",) * 6]
    rows: list[Row] = [(*figures[0], branch, f"{mark}{number}", text)]
    indent = " " * (len(text) - len(text.lstrip()))
    for index, site in enumerate(accesses):
        remark = ", ".join(_remarks(site))
        more = f"{indent}↳ {site.array}{': ' if remark else ''}{remark}"
        if index:
            rows.append((*figures[index], "", "", more))
        elif remark:
            rows.append((*("",) * 8, more))
    return rows


def _figures(site: Site, moved: int) -> tuple[str, ...]:
    spread = f"{site.sectors / site.requests:.2f}" if site.sectors and site.requests else ""
    sectors = short(site.sectors) if site.sectors else ""
    share = bar(site.sectors / moved, BAR) if site.sectors else ""
    return SHORT_KINDS[site.kind], short(site.requests), sectors, share, spread, short(site.lanes)


def _remarks(site: Site) -> list[str]:
    remarks = []
    if site.same_address_max > 1:
        remarks.append(f"up to {short(site.same_address_max)} lanes on one address")
    if site.cas_failed:
        remarks.append(f"{short(site.cas_failed)} swaps failed")
    if site.bank_conflicts:
        remarks.append(f"{short(site.bank_conflicts)} bank conflicts")
    return remarks
