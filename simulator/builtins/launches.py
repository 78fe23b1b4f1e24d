"""What a thread learns of the kernels that it has launched: the last error of a launch."""

from __future__ import annotations

from simulator.builtins.lowerings import LastError
from simulator.builtins.row import Row

ROWS = (
    Row("cudaError_t cudaGetLastError()", LastError(takes=True)),
    Row("cudaError_t cudaPeekAtLastError()", LastError()),
)
