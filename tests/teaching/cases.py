"""The teaching kernels: all cases in one list.

What courses and books teach of CUDA C, as small kernels in `kernels/`, each with inputs from a
seed, NumPy's idea of the result and a tolerance. One function, `run` in `case.py`, drives them on
the simulator and on a GPU alike, so a case says what CUDA is, not what one machine makes of it.
Every kernel is free of races by CUDA's rules and right under every schedule: warps never rely on
lockstep (`__syncwarp` stands where Volta needs it), waiting threads read flags that are volatile
or atomic with a fence on both sides, and blocks wait for others only in grids small enough to be
resident as a whole. Files hold the cases by topic: `cases_arrays.py`, `cases_sums.py`,
`cases_orders.py` and `cases_language.py`; a new kernel is a file in `kernels/` and an entry in one
of these lists.
"""

from __future__ import annotations

from tests.teaching import cases_arrays, cases_language, cases_orders, cases_sums
from tests.teaching.case import Case

CASES: list[Case] = [
    *cases_arrays.CASES,
    *cases_sums.CASES,
    *cases_orders.CASES,
    *cases_language.CASES,
]
