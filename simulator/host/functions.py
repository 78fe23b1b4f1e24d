"""The functions that CuPy has under NumPy's names: NumPy's own, on the elements of device arrays.

They run on the host at once: nothing is launched, and nothing counted.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from simulator.host.array import computed

#: Types, constants and questions about types, which are NumPy's own in CuPy, too.
_SAME = frozenset(
    (
        "bool broadcast_shapes byte can_cast cdouble complex128 complex64 complexfloating "
        "csingle double dtype e euler_gamma finfo float16 floating generic half iinfo index_exp "
        "inexact inf int_ intc integer intp isdtype isscalar issubdtype iterable long longlong "
        "min_scalar_type nan ndindex newaxis number pi promote_types s_ set_printoptions short "
        "signedinteger single ubyte uint uintc uintp ulong ulonglong unsignedinteger ushort "
    ).split()
)
#: What takes arrays and returns them.
_FUNCTIONS = frozenset(
    (
        "all allclose amax amin angle any append apply_along_axis argmax argmin argpartition "
        "argsort argwhere around array_equal array_equiv array_split atleast_1d atleast_2d "
        "atleast_3d average bartlett bincount blackman broadcast_arrays broadcast_to choose "
        "clip column_stack compress concat concatenate convolve copy copyto corrcoef correlate "
        "count_nonzero cov cross cumprod cumsum cumulative_prod cumulative_sum delete diag "
        "diag_indices diag_indices_from diagflat diagonal diff digitize dot dsplit dstack "
        "ediff1d einsum expand_dims extract eye fill_diagonal fix flatnonzero flip fliplr "
        "flipud frombuffer fromfile fromfunction fromiter fromstring genfromtxt gradient "
        "hamming hanning histogram histogram2d histogramdd hsplit hstack i0 identity imag "
        "indices inner interp intersect1d isclose iscomplex iscomplexobj isfortran isin "
        "isneginf isposinf isreal isrealobj ix_ kaiser kron lexsort linspace load loadtxt "
        "logspace mask_indices matrix_transpose max may_share_memory mean median meshgrid min "
        "moveaxis nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian "
        "nanmin nanprod nanstd nansum nanvar ndim nonzero outer packbits pad partition "
        "percentile permute_dims piecewise place poly polyadd polyfit polymul polysub polyval "
        "prod ptp put put_along_axis putmask quantile ravel ravel_multi_index real "
        "real_if_close repeat reshape resize roll rollaxis roots rot90 round save savetxt savez "
        "savez_compressed searchsorted select setdiff1d setxor1d shape shares_memory sinc size "
        "sort sort_complex split squeeze stack std sum swapaxes take take_along_axis tensordot "
        "tile trace transpose trapezoid tri tril tril_indices tril_indices_from trim_zeros triu "
        "triu_indices triu_indices_from union1d unique unpackbits unravel_index unwrap vander "
        "var vdot vsplit vstack where "
    ).split()
)


class Function:
    """A function of NumPy that takes and returns device arrays.

    Parameters
    ----------
    function : callable
        NumPy's.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Compute on the host."""
        return computed(self._function, *args, **options)

    def __getattr__(self, name: str) -> Any:
        """Return what a ufunc has: `reduce`, `at`, `outer` and its like."""
        own = getattr(self._function, name)
        return Function(own) if callable(own) else own

    def __repr__(self) -> str:
        return f"<simulator function {self.__name__}>"


class Namespace:
    """The functions of a module of NumPy, for device arrays.

    Parameters
    ----------
    module : module
        NumPy's.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._module, name, None)
        if own is None or name.startswith("_"):
            raise AttributeError(f"simulator has no {self._module.__name__[6:]}.{name}")
        return own if isinstance(own, type) else Function(own)


linalg = Namespace(np.linalg)
fft = Namespace(np.fft)


def function_named(name: str) -> Any:
    """Return what CuPy has under a name of NumPy, or None.

    Parameters
    ----------
    name : str
        Such as `sqrt`.

    Returns
    -------
    object
        A function for device arrays, a type or a constant.

    Examples
    --------
    >>> import simulator
    >>> a = simulator.arange(4)
    >>> float(function_named("sum")(a * a))
    14.0
    """
    own = getattr(np, name, None)
    if own is None or name in _SAME:
        return own if name in _SAME else None
    return Function(own) if name in _FUNCTIONS or isinstance(own, np.ufunc) else None
