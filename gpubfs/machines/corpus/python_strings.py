"""Kernels in the strings of Python files, as RawKernel, RawModule and SourceModule take them."""

from __future__ import annotations

import ast
import warnings


def kernel_strings(text: str) -> list[tuple[int, str]]:
    r"""Return the strings with kernels, each with its line; none of what is no Python.

    Line feeds stand before each, so that its lines have the numbers that they have in the file.

    Examples
    --------
    >>> kernel_strings("a = 1\nb = '__global__ void f() {}'")
    [(2, '\n__global__ void f() {}')]
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    parts = {id(part) for node in ast.walk(tree) for part in _patterns(node)}
    return [
        (node.lineno, "\n" * (node.lineno - 1) + node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        if "__global__" in node.value and "{" in node.value
    ]


def _patterns(node: ast.AST) -> list[ast.AST]:
    """Return the strings in a node that are only parts of a text: patterns and the like."""
    if isinstance(node, ast.JoinedStr):
        return list(node.values)
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Expr):  # a docstring
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value]
    return []
