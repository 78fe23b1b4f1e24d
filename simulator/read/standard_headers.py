"""The headers that a program may include: what the simulator has of them is built in.

They bring nothing else. What a program uses of the rest is refused where it is used, by its name.
"""

from __future__ import annotations

import re

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


def is_standard(name: str) -> bool:
    """Whether a header comes with the compiler, CUDA or CuPy.

    Examples
    --------
    >>> is_standard("cuda_fp16.h"), is_standard("cub/block/block_scan.cuh"), is_standard("csr.cuh")
    (True, True, False)
    """
    return name in STANDARD_HEADERS or _LIBRARIES.fullmatch(name) is not None
