"""Planted bugs with asynchronous copies: memory that is touched before they have ended."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset

_NUMBERS = np.arange(7, 135, dtype=np.int32)
_STAGES = np.arange(512, dtype=np.int32)
_TURNED = _NUMBERS.reshape(2, 64)[:, ::-1].reshape(-1)
_SUMMED = _STAGES.reshape(2, 4, 64).sum(1)[:, ::-1].reshape(-1)
_PAIRS = _NUMBERS + np.roll(_NUMBERS.reshape(2, 64), -1, 1).reshape(-1)


def _bug(sanitizer: str, name: str, given: np.ndarray, result: np.ndarray, says: str) -> Bug:
    return Bug(sanitizer, name, (given, Unset(128)), {1: result}, says, grid=2, block=64)


_FLYING = r"race on (tile|buffer)\b"

COPIES = [
    _bug("race", "copy_without_wait", _NUMBERS, _TURNED, _FLYING),
    _bug("race", "copy_waited_for_alone", _NUMBERS, _PAIRS, r"race on tile\["),
    _bug("race", "own_copy_read_too_early", _NUMBERS, 2 * _NUMBERS, _FLYING),
    _bug("race", "one_stage_too_many", _STAGES, _SUMMED, _FLYING),
    _bug("race", "copy_over_what_is_read", _STAGES, _SUMMED, _FLYING),
    _bug("init", "copy_never_waited_for", _NUMBERS, _TURNED, r"reads tile\[(63|31)\]"),
]
