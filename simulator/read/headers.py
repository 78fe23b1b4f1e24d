"""What CUDA programs find without asking: headers of the compiler's, and macros."""

from __future__ import annotations

import math
import re
from pathlib import Path

from simulator.ir.launch_errors import CODES
from simulator.ir.matrices import MATRIX_HEADER
from simulator.ir.textures import BOUNDARY_MODES

# The headers that a program may include: what the simulator has of them is built in.
#
# They bring nothing else. What a program uses of the rest is refused where it is used, by its name.


#: Headers of C and C++ that have something for device code.
_STANDARD = """
assert.h cassert cfloat cinttypes ciso646 climits cmath cstdalign cstdarg cstdbool cstddef cstdint
cstdio cstdlib cstring ctime float.h inttypes.h iso646.h limits.h math.h memory.h stdalign.h
stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h
array bit compare concepts functional initializer_list limits new numbers ratio tuple type_traits
utility version
"""

#: Headers of the CUDA toolkit, as NVRTC finds them; those of its libraries for the host, too.
_TOOLKIT = """
builtin_types.h channel_descriptor.h common_functions.h cooperative_groups.h cuComplex.h cuda.h
cuda_awbarrier.h cuda_awbarrier_helpers.h cuda_awbarrier_primitives.h cuda_bf16.h cuda_bf16.hpp
cuda_device_runtime_api.h cuda_fp16.h cuda_fp16.hpp cuda_fp4.h cuda_fp6.h cuda_fp8.h
cuda_occupancy.h cuda_pipeline.h cuda_pipeline_helpers.h cuda_pipeline_primitives.h
cuda_profiler_api.h cuda_runtime.h cuda_runtime_api.h cuda_surface_types.h cuda_texture_types.h
cuda_tf32.h cudaProfiler.h cudart_platform.h curand.h curand_kernel.h curand_mtgp32_host.h
curand_mtgp32_kernel.h curand_philox4x32_x.h device_atomic_functions.h device_double_functions.h
device_functions.h device_launch_parameters.h device_types.h driver_functions.h driver_types.h
host_config.h host_defines.h library_types.h math_constants.h math_functions.h
mma.h nv/target nvfunctional nvrtc.h sm_20_atomic_functions.h sm_20_intrinsics.h
sm_30_intrinsics.h sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_atomic_functions.h
sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h surface_functions.h
surface_indirect_functions.h surface_types.h texture_fetch_functions.h texture_indirect_functions.h
texture_types.h vector_functions.h vector_functions.hpp vector_types.h
cublas.h cublas_v2.h cufft.h cufftXt.h cusparse.h cusolverDn.h cusolverSp.h nvToolsExt.h
cooperative_groups/memcpy_async.h cooperative_groups/reduce.h cooperative_groups/scan.h
"""

#: The parts of CUDA's C++ library that lie right in `cuda/`, and those in `cuda/std/`.
_CUDA = """
access_property algorithm annotated_ptr atomic barrier bit cmath devices discard_memory functional
iterator latch mdspan memory memory_resource numeric pipeline ptx semaphore stream stream_ref
type_traits utility version warp work_stealing
"""
_CUDA_STD = """
algorithm array atomic barrier bit bitset cassert ccomplex cfloat charconv chrono climits cmath
complex concepts cstddef cstdint cstdlib cstring ctime execution expected functional
initializer_list inplace_vector iterator latch limits linalg mdspan memory numbers numeric optional
ranges ratio semaphore source_location span string_view tuple type_traits utility variant version
"""

#: Headers that CuPy brings.
_CUPY = """
atomics.cuh bfloat16.cuh carray.cuh complex.cuh cuComplex_bridge.h cuda_workaround.h float16.cuh
math_constants.h structview.cuh type_dispatcher.cuh unstructured_void.cuh
"""

STANDARD_HEADERS = frozenset(
    [
        *_STANDARD.split(),
        *_TOOLKIT.split(),
        *(f"cuda/{name}" for name in _CUDA.split()),
        *(f"cuda/std/{name}" for name in _CUDA_STD.split()),
        *(f"cupy/{name}" for name in _CUPY.split()),
    ]
)

#: How the headers of libraries are called that have too many to list.
_LIBRARIES = re.compile(
    r"cub/(\w+/)*\w+\.cuh|thrust/(\w+/)*\w+\.h|cupy/complex/\w+\.h|crt/\w+\.hp?p?"
    r"|cooperative_groups/details/\w+\.h"
)


#: Headers that the simulator has in CUDA C++ itself, by the files beside this one.
OWN_TEXTS = {
    "type_traits": "type_traits.cuh",
    "cuda/std/type_traits": "type_traits.cuh",
    "thrust/complex.h": "type_traits.cuh",
    MATRIX_HEADER: "mma.cuh",
    **dict.fromkeys(["cuda/atomic", "cuda/std/atomic"], "atomic.cuh"),
    **dict.fromkeys(["cuda/barrier", "cuda/std/barrier"], "barrier.cuh"),
    "cuda/pipeline": "pipeline.cuh",
    "cooperative_groups/reduce.h": "reduce.cuh",
    **dict.fromkeys(["cuda_awbarrier.h", "cuda_awbarrier_primitives.h"], "awbarrier.cuh"),
    **dict.fromkeys(["utility", "cuda/std/utility"], "utility.cuh"),
    **dict.fromkeys(["array", "cuda/std/array"], "array.cuh"),
    **dict.fromkeys(["limits", "cuda/std/limits"], "limits.cuh"),
}


def own_text(file: str) -> str:
    """Return the text of one of the files in `own/`."""
    return Path(__file__).with_name("own").joinpath(file).read_text("utf-8")


def is_standard(name: str) -> bool:
    """Whether a header comes with the compiler, CUDA or CuPy.

    Examples
    --------
    >>> is_standard("cuda_fp16.h"), is_standard("cub/block/block_scan.cuh"), is_standard("csr.cuh")
    (True, True, False)
    """
    return name in STANDARD_HEADERS or _LIBRARIES.fullmatch(name) is not None


_LIMITS = {
    "SCHAR_MAX": "127",
    "UCHAR_MAX": "255",
    "SHRT_MAX": "32767",
    "USHRT_MAX": "65535",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295U",
    "LONG_MAX": "9223372036854775807L",
    "ULONG_MAX": "18446744073709551615UL",
    "LLONG_MAX": "9223372036854775807LL",
    "ULLONG_MAX": "18446744073709551615ULL",
}

#: Constants of C's <math.h>, and with `CUDART_` before them those of CUDA's <math_constants.h>.
_M = {
    "PI": math.pi,
    "PI_2": math.pi / 2,
    "PI_4": math.pi / 4,
    "1_PI": 1 / math.pi,
    "2_PI": 2 / math.pi,
    "2_SQRTPI": 2 / math.sqrt(math.pi),
    "E": math.e,
    "LN2": math.log(2),
    "LN10": math.log(10),
    "LOG2E": 1 / math.log(2),
    "LOG10E": 1 / math.log(10),
    "SQRT2": math.sqrt(2),
    "SQRT1_2": math.sqrt(0.5),
}
_CUDART = {
    "ZERO": 0.0,
    "ONE": 1.0,
    "THIRD": 1 / 3,
    "PI": math.pi,
    "PIO2": math.pi / 2,
    "PIO4": math.pi / 4,
    "3PIO4": 3 * math.pi / 4,
    "2_OVER_PI": 2 / math.pi,
    "SQRT_TWO": math.sqrt(2),
    "SQRT_HALF": math.sqrt(0.5),
    "L2E": math.log2(math.e),
    "L2T": math.log2(10),
    "LG2": math.log10(2),
    "LGE": math.log10(math.e),
    "LN2": math.log(2),
    "LNT": math.log(10),
    "LNPI": math.log(math.pi),
}

_ALSO = {
    "CHAR_BIT": "8",
    "CHAR_MAX": "127",
    "CHAR_MIN": "(-128)",
    "INT8_MAX": "127",
    "UINT8_MAX": "255",
    "INT16_MAX": "32767",
    "UINT16_MAX": "65535",
    "INT32_MAX": "2147483647",
    "UINT32_MAX": "4294967295U",
    "INT64_MAX": "9223372036854775807L",
    "UINT64_MAX": "18446744073709551615UL",
    "SIZE_MAX": "18446744073709551615UL",
    "INTMAX_MAX": "9223372036854775807L",
    "UINTMAX_MAX": "18446744073709551615UL",
    "INTPTR_MAX": "9223372036854775807L",
    "UINTPTR_MAX": "18446744073709551615UL",
    "PTRDIFF_MAX": "9223372036854775807L",
    "FLT_RADIX": "2",
    "FLT_DIG": "6",
    "DBL_DIG": "15",
    "FLT_MANT_DIG": "24",
    "DBL_MANT_DIG": "53",
    "FLT_MAX_EXP": "128",
    "FLT_MIN_EXP": "(-125)",
    "DBL_MAX_EXP": "1024",
    "DBL_MIN_EXP": "(-1021)",
    "FLT_TRUE_MIN": "__int_as_float(1)",
    "DBL_TRUE_MIN": "__longlong_as_double(1)",
    "FLT_MAX": "3.402823466e+38F",
    "FLT_MIN": "1.175494351e-38F",
    "FLT_EPSILON": "1.192092896e-07F",
    "DBL_MAX": "1.7976931348623157e+308",
    "DBL_MIN": "2.2250738585072014e-308",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "INFINITY": "1e999F",
    "HUGE_VAL": "1e999",
    "HUGE_VALF": "1e999F",
    "NAN": "__int_as_float(0x7fffffff)",
    "CUDART_INF": "1e999",
    "CUDART_INF_F": "1e999F",
    "CUDART_NAN": "__longlong_as_double(0xfff8000000000000)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)",
    "CUDART_MIN_DENORM": "__longlong_as_double(1)",
    "CUDART_MIN_DENORM_F": "__int_as_float(1)",
    "CUDART_MAX_NORMAL_F": "__int_as_float(0x7f7fffff)",
    "CUDART_NEG_ZERO": "(-0.0)",
    "CUDART_NEG_ZERO_F": "(-0.0F)",
    "NULL": "nullptr",
    **{name: f"((cudaError_t){code})" for name, code in CODES.items()},
    **{name: f"((cudaSurfaceBoundaryMode){code})" for name, code in BOUNDARY_MODES.items()},
}

#: The memory orders and scopes of CUDA's built-in atomic functions.
_ORDERS = ("RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
_SCOPES = ("THREAD", "BLOCK", "CLUSTER", "DEVICE", "SYSTEM")

#: Macros that every program starts with; it may define them anew.
PREDEFINED = {
    "__CUDACC__": "1",
    "__CUDACC_RTC__": "1",
    "__CUDACC_VER_MAJOR__": "13",
    "__CUDACC_VER_MINOR__": "0",
    "__CUDA_ARCH__": "900",
    "__cplusplus": "201703L",
    **_LIMITS,
    **{
        name.replace("MAX", "MIN"): f"(-{text} - 1)"
        for name, text in _LIMITS.items()
        if name[0] not in "U"
    },
    **{f"INT{bits}_MIN": f"(-INT{bits}_MAX - 1)" for bits in ("8", "16", "32", "64", "MAX", "PTR")},
    "PTRDIFF_MIN": "(-PTRDIFF_MAX - 1)",
    **{f"M_{name}": repr(value) for name, value in _M.items()},
    **{f"CUDART_{name}": repr(value) for name, value in _CUDART.items()},
    **{f"CUDART_{name}_F": f"{value!r}F" for name, value in _CUDART.items()},
    **_ALSO,
    **{f"__NV_ATOMIC_{name}": str(number) for number, name in enumerate(_ORDERS)},
    **{f"__NV_THREAD_SCOPE_{name}": str(number) for number, name in enumerate(_SCOPES)},
}
