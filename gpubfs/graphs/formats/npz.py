"""Sparse matrices that SciPy has saved: every stored entry of a square matrix is an edge."""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import Any

from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.format import Listing, Options, graph_format
from gpubfs.graphs.interchange import scipy_entries
from gpubfs.graphs.text import Contents


@graph_format("npz", endings=(".npz",), begins=rb"PK\x03\x04", binary=True)
def read_npz(file: Contents, options: Options) -> Listing:
    """Read the entries of a matrix; their values are not looked at."""
    hint = "write a square matrix with scipy.sparse.save_npz"
    try:
        ends, vertices = scipy_entries(_checked(file.data))
    except GraphError as error:
        raise GraphError(error.message, file.path, hint=hint) from None
    except MemoryError:
        raise
    except Exception:  # SciPy and NumPy stumble over damaged archives in many ways
        message = f"this is not a SciPy sparse matrix: {_complaint(file.data)}"
        raise GraphError(message, file.path, hint=hint) from None
    return Listing(*ends, vertices)


def _checked(data: bytes) -> Any:
    """Load the matrix in an archive, its index arrays verified as far as SciPy can."""
    from scipy.sparse import load_npz

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = load_npz(io.BytesIO(data))
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    return matrix


def _complaint(data: bytes) -> str:
    """Say what is wrong with an archive that SciPy cannot load."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
            if archive.testzip() is not None:
                return "the archive is damaged"
    except Exception:  # zipfile has no one error for all kinds of damage
        return "it is no zip archive, or a damaged one"
    missing = [name for name in ("format", "shape") if name not in names]
    if missing:
        return f"the archive has no array named {missing[0]}"
    return "its arrays do not fit together"
