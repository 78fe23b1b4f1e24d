"""CUDA's codes of what may be wrong with a launch by a kernel."""

from __future__ import annotations

#: The one that a launch can end with here; all others are faults.
PENDING_COUNT_EXCEEDED = 69

#: The enumerators of `cudaError_t` that programs compare with.
CODES = {
    "cudaSuccess": 0,
    "cudaErrorInvalidConfiguration": 9,
    "cudaErrorLaunchMaxDepthExceeded": 65,
    "cudaErrorLaunchPendingCountExceeded": PENDING_COUNT_EXCEEDED,
    "cudaErrorLaunchOutOfResources": 701,
}
