"""`python -m tests.fuzz`: random race-free kernels on machines that must agree."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.fuzz.campaign import Campaign, Result, compare, record, recorded, source

HELP = "the simulator, a GPU through CuPy, or both; default sim"


def arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    add = parser.add_argument
    add("--seeds", type=seeds, default=range(200), metavar="FIRST:END", help="default 0:200")
    add("--schedules", default="lockstep,warp,random:1", help="of the simulator, with commas")
    add("--machine", choices=("sim", "gpu", "both"), default="sim", help=HELP)
    add("--jobs", type=int, default=1, metavar="N", help="processes; default 1")
    add("--no-oracle", action="store_true", help="compare machines with the first one only")
    add("--shrink", action="store_true", help="make programs that differ small")
    add("--seconds", type=float, default=120.0, help="the longest a shrink may take; default 120")
    add("--out", type=Path, metavar="FOLDER", help="where programs that differ are written")
    add("--record", type=Path, metavar="FILE", help="write digests of what each seed gave")
    add("--against", type=Path, metavar="FILE", help="compare with digests written by --record")
    return parser.parse_args(given)


def seeds(text: str) -> range:
    """`5:10`, or `7` for a single one."""
    first, _, end = text.partition(":")
    return range(int(first), int(end) if end else int(first) + 1)


def watched(results: Iterable[Result], total: int, console: Console) -> Iterable[Result]:
    """The results, with a bar that shows how many there have been."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        task, failed = progress.add_task("all agree", total=total), 0
        for result in results:
            yield result
            failed += bool(result.differences)
            text = f"{failed} differ" if failed else "all agree"
            progress.update(task, advance=1, description=text)


def report(result: Result, options: argparse.Namespace, console: Console) -> None:
    """Print where a seed differs, and write or print the program."""
    for name, difference in result.differences.items():
        console.print(f"seed {result.seed}, {name}: {difference}", markup=False, highlight=False)
        if name in ("oracle", "record") or not (options.shrink or options.out):
            continue
        text = source(result.seed, name, options.seconds if options.shrink else 0)
        if options.out is None:
            console.print(text, markup=False, highlight=False)
            continue
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / f"seed-{result.seed}-{name.replace(':', '-')}.cu"
        path.write_text(text, encoding="utf-8")
        console.print(f"written: {path}", markup=False, highlight=False)


def main(given: list[str] | None = None) -> int:
    """Run the command; 1 if anything differs."""
    options, console = arguments(given), Console()
    simulated = () if options.machine == "gpu" else tuple(options.schedules.split(","))
    names = (*(() if options.machine == "sim" else ("gpu",)), *simulated)
    campaign = Campaign(names, not options.no_oracle)
    known = recorded(options.against) if options.against else {}
    found: list[Result] = []
    results = campaign.results(options.seeds, options.jobs)
    for result in watched(results, len(options.seeds), console):
        compare(result, known)
        report(result, options, console)
        found.append(result)
    if options.record:
        record(options.record, found)
    failed, skipped = (sum(map(bool, of)) for of in totals(found))
    console.print(f"{len(found)} seeds, {failed} differ, {skipped} too long to run", markup=False)
    return int(failed > 0)


def totals(found: list[Result]) -> tuple[list[bool], list[bool]]:
    """Which seeds differ, and which ran too long for the oracle."""
    failed = [bool(r.differences) for r in found]
    return failed, [not r.memory and not r.differences for r in found]


if __name__ == "__main__":
    sys.exit(main())
