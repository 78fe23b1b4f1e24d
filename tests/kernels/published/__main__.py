"""Kernels of public sources against NumPy: `python -m tests.kernels.published FOLDER`.

The folder has one folder for each source, named as in `sources/`. What is not there is skipped.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.kernels.published.campaign import outcomes, summary
from tests.kernels.published.case import Case
from tests.kernels.published.running import Outcome
from tests.kernels.published.sources import all_cases

#: What is no failure.
_FINE = ("equal", "skipped", "wrong")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, and return 1 if one of them differs, is refused or ends by a fault."""
    given = _parser().parse_args(arguments)
    if not given.folder.is_dir():
        sys.exit(f"{given.folder} is no folder: give the one that the sources are in")
    part, parts = map(int, given.part.split("/"))
    cases = [case for case in all_cases() if _wanted(case, given.only)][part - 1 :: parts]
    found = []
    for case, outcome, seconds in outcomes(cases, given.folder, given.gpu, given.limit):
        found.append((case, outcome))
        print(
            f"{outcome.word:8} {seconds:6.1f} s  {case.name}  {outcome.text}".rstrip(), flush=True
        )
    whole = len(cases) == len(all_cases())  # counting takes its time
    print(summary(found, given.folder if whole else None))
    if given.json:
        given.json.write_text(json.dumps([_entry(*one) for one in found], indent=1), "utf-8")
    return int(any(outcome.word not in _FINE for _, outcome in found))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.kernels.published", description=__doc__)
    parser.add_argument("folder", type=Path, help="one folder for each source below it")
    parser.add_argument("--gpu", action="store_true", help="on a GPU, through CuPy")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="cases by name: *softmax*")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes to a file")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the Kth of N parts of them")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for a case")
    return parser


def _wanted(case: Case, pattern: str) -> bool:
    return fnmatch.fnmatch(case.name, pattern) or pattern in case.name


def _entry(case: Case, outcome: Outcome) -> dict[str, str]:
    return {"case": case.name, "outcome": outcome.word, "text": outcome.text}


if __name__ == "__main__":
    sys.exit(main())
