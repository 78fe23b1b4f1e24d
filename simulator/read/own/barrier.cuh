// What programs get of <cuda/barrier>: barriers in memory, of CUDA's primitives for them.
#include <cuda/atomic>
#include <cuda/std/utility>
namespace std {

struct __empty_completion {};

}  // namespace std
namespace cuda {

template <typename Completion>
struct __completes_by_itself {
    static constexpr bool value = false;
};
template <>
struct __completes_by_itself<std::__empty_completion> {
    static constexpr bool value = true;
};

template <thread_scope scope, typename Completion = std::__empty_completion>
class barrier {
    static_assert(__completes_by_itself<Completion>::value,
                  "completion functions of cuda::barrier are not supported");
    static constexpr int __within = __scope<scope>::number;
    unsigned long __state;

  public:
    using arrival_token = unsigned long;
    barrier() = default;
    __device__ barrier(ptrdiff_t expected) { __mbarrier_make(&__state, expected, __within); }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    friend __device__ void init(barrier *made, ptrdiff_t expected) {
        __mbarrier_make(&made->__state, expected, __within);
    }
    friend __device__ void init(barrier *made, ptrdiff_t expected, Completion) {
        __mbarrier_make(&made->__state, expected, __within);
    }
    __device__ static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

    __device__ arrival_token arrive(ptrdiff_t update = 1) {
        return __mbarrier_arrive_times(&__state, update, __within);
    }
    __device__ void wait(arrival_token token) const {
        __mbarrier_wait(&__state, token, __within);
    }
    __device__ void wait_parity(bool parity) const {
        __mbarrier_wait_parity(&__state, parity, __within);
    }
    __device__ void arrive_and_wait() {
        __mbarrier_wait(&__state, __mbarrier_arrive_times(&__state, 1, __within), __within);
    }
    __device__ void arrive_and_drop() { __mbarrier_drop(&__state, __within); }
    __device__ void __take_copies() { __mbarrier_take_copies(&__state, __within); }
};

}  // namespace cuda
namespace std {

template <typename Completion = __empty_completion>
using barrier = cuda::barrier<cuda::thread_scope_system, Completion>;

}  // namespace std
