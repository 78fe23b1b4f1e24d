"""The heads of functions: their types made definite, and what cannot be a function or kernel."""

from __future__ import annotations

from dataclasses import replace

from simulator.check.declared_types import complete, parameter_of, result_of
from simulator.check.overloads import check_operator
from simulator.check.scopes import Scope, is_object
from simulator.ir.conversions import is_group
from simulator.ir.types import VOID, Pointer
from simulator.ir.unchecked import Prototype
from simulator.source import CompileError

_WRONG_WORDS = ("__shared__", "__constant__", "__managed__", "__grid_constant__", "register")


def kind_of(head: Prototype) -> str:
    """Return whether a function is `__global__` or `__device__`."""
    return "__global__" if "__global__" in head.specifiers else "__device__"


def resolved_head(head: Prototype, scope: Scope) -> Prototype:
    """Return a head with definite types."""
    _check_specifiers(head)
    parameters = tuple(parameter_of(symbol, scope) for symbol in head.parameters)
    result = complete(result_of(head, parameters, scope), head.span)
    if head.returns_reference:
        head = replace(head, returns_reference=False, refers=True)
        result = Pointer(result, head.const_result)
    if kind_of(head) == "__global__" and result != VOID:
        what = f"the kernel `{head.name}` must return void"
        raise CompileError(what, head.location, "write results to an array")
    head = replace(head, result=result, parameters=parameters)
    _check_kernel(head)
    if not any(map(is_object, parameters)):
        check_operator(head)
    return head


def _check_specifiers(head: Prototype) -> None:
    if {"__global__", "__device__"} <= head.specifiers:
        what = f"`{head.name}` cannot be both __global__ and __device__"
        raise CompileError(what, head.location, "keep one of them")
    if not {"__global__", "__device__"} & head.specifiers:
        hint = (
            "write `__global__` for a kernel, `__device__` for its helper; keep host code in Python"
        )
        raise CompileError(f"`{head.name}` is a host function", head.location, hint)
    for word in _WRONG_WORDS:
        if word in head.specifiers:
            raise CompileError(f"a function cannot be `{word}`", head.span)


def _check_kernel(head: Prototype) -> None:
    if head.cluster and kind_of(head) != "__global__":
        what = f"`{head.name}` is no kernel: it cannot have `__cluster_dims__`"
        raise CompileError(what, head.location, "write it at the kernel that calls the function")
    for parameter in head.parameters:
        if parameter.reference and kind_of(head) == "__global__":
            hint = "use a pointer"
            raise CompileError("a kernel's parameter cannot be a reference", parameter.span, hint)
        if kind_of(head) == "__global__" and is_group(parameter.type):
            what = f"a kernel's parameter cannot be a `{parameter.type}`"
            raise CompileError(what, parameter.span, "make the group in the kernel")
