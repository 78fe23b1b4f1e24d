"""What may be told of a hidden case that is lost: the kind of mistake, its line, and nothing else.

Everything that a run computes depends on the secret: threads, elements, sums, what a kernel prints
or a driver raises. So none of it leaves the grading process; only the places in what was handed in
do, which its author knows.
"""

from __future__ import annotations

from gpubfs.grading.outcome import Failure, Outcome

#: What is said, by the reason. For others the message itself tells nothing of the data.
WORDS = {
    "result": "a result is wrong",
    "schedule": "right in the first order of warps, but not in some other one",
    "fault": "the kernel does what is undefined, such as to read beyond an array's end",
    "sanitizer": "a sanitizer finds a race, or a read of what nothing has written",
    "limit": "the result is right, but a counter is above its limit",
    "answer": "there is no answer, or a wrong one",
    "driver": "the driver raises an error, or asks for what it must not",
    "crash": "the process ended before its time",
}


def private(outcome: Outcome) -> Outcome:
    """The outcome without what would give a hidden case's data away.

    What cannot even be compiled is wrong for every case, and its author may read why; what cannot
    be launched depends on how many threads and bytes the case has.
    """
    failure = outcome.failure
    if not outcome.hidden:
        return outcome
    kept = None if failure is None else _told(failure)
    return Outcome(outcome.case, outcome.points, True, kept, outcome.skipped)


def _told(failure: Failure) -> Failure:
    if failure.reason == "read" and not failure.general:
        return Failure("read", failure.message, detail=failure.detail)
    words = failure.general or WORDS.get(failure.reason, failure.message)
    return Failure(failure.reason, words, detail=failure.place)
