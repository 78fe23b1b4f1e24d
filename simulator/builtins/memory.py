"""Memory: loads and stores with cache hints, which are plain ones here, and kinds of memory."""

from __future__ import annotations

from simulator.builtins.lowerings import (
    Access,
    AddressSpace,
    Elementwise,
    MakeVector,
    SharedAddress,
)
from simulator.builtins.overloads import Load, Store
from simulator.builtins.row import Row
from simulator.ir.types import VECTORS, Struct


def _make(vector: Struct) -> Row:
    parameters = ", ".join(f"{ctype} {name}" for name, ctype, _ in vector.members)
    return Row(f"{vector} make_{vector}({parameters})", MakeVector())


ROWS = (
    Load("T __ldg(const T *address)", Access(read_only=True)),
    Load("T __ldcg(const T *address)", Access()),
    Load("T __ldca(const T *address)", Access()),
    Load("T __ldcs(const T *address)", Access()),
    Load("T __ldlu(const T *address)", Access()),
    Load("T __ldcv(const T *address)", Access()),
    Store("void __stwb(T *address, T value)", Access()),
    Store("void __stcg(T *address, T value)", Access()),
    Store("void __stcs(T *address, T value)", Access()),
    Store("void __stwt(T *address, T value)", Access()),
    Row("unsigned __isShared(const void *pointer)", AddressSpace("shared")),
    Row("unsigned __isClusterShared(const void *pointer)", AddressSpace("cluster")),
    Row("unsigned __isLocal(const void *pointer)", AddressSpace("local")),
    Row("unsigned __isGlobal(const void *pointer)", AddressSpace("global")),
    Row("size_t __cvta_generic_to_shared(const void *pointer)", SharedAddress("to_shared")),
    Row("void* __cvta_shared_to_generic(size_t address)", SharedAddress("from_shared")),
    Row("size_t __cvta_generic_to_global(const void *pointer)", Elementwise("{0}.astype(u8)")),
    Row("void* __cvta_global_to_generic(size_t address)", Elementwise("{0}.astype(i8)")),
    *map(_make, VECTORS.values()),
)
