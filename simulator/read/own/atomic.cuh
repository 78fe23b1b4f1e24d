// What programs get of <cuda/atomic>: of CUDA's built-in atomic functions, whose orders and scopes
// are constants where a function of it is called.
namespace std {

enum memory_order {
    memory_order_relaxed = __NV_ATOMIC_RELAXED,
    memory_order_consume = __NV_ATOMIC_CONSUME,
    memory_order_acquire = __NV_ATOMIC_ACQUIRE,
    memory_order_release = __NV_ATOMIC_RELEASE,
    memory_order_acq_rel = __NV_ATOMIC_ACQ_REL,
    memory_order_seq_cst = __NV_ATOMIC_SEQ_CST
};

}  // namespace std
namespace cuda {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread = 10
};

template <thread_scope scope>
struct __scope {
    static constexpr int number = scope == thread_scope_system   ? __NV_THREAD_SCOPE_SYSTEM
                                  : scope == thread_scope_device ? __NV_THREAD_SCOPE_DEVICE
                                  : scope == thread_scope_block  ? __NV_THREAD_SCOPE_BLOCK
                                                                 : __NV_THREAD_SCOPE_THREAD;
};

__device__ inline void atomic_thread_fence(memory_order order,
                                           thread_scope scope = thread_scope_system) {
    __nv_atomic_thread_fence(order, scope == thread_scope_system   ? __NV_THREAD_SCOPE_SYSTEM
                                    : scope == thread_scope_device ? __NV_THREAD_SCOPE_DEVICE
                                    : scope == thread_scope_block  ? __NV_THREAD_SCOPE_BLOCK
                                                                   : __NV_THREAD_SCOPE_THREAD);
}

// The order of a compare-and-swap that fails, where the program gives none.
__device__ constexpr memory_order __failing(memory_order order) {
    return order == memory_order_acq_rel   ? memory_order_acquire
           : order == memory_order_release ? memory_order_relaxed
                                           : order;
}

// Of floats a GPU has no extremes: they are compared and swapped until nobody comes between. What
// is compared are their bits: 0 is not -0, and a NaN is itself.
template <typename T>
struct __swaps {
    static constexpr bool value = false;
    __device__ static bool same(T one, T other) { return one == other; }
};
template <>
struct __swaps<float> {
    static constexpr bool value = true;
    __device__ static bool same(float one, float other) {
        return __float_as_int(one) == __float_as_int(other);
    }
};
template <>
struct __swaps<double> {
    static constexpr bool value = true;
    __device__ static bool same(double one, double other) {
        return __double_as_longlong(one) == __double_as_longlong(other);
    }
};

// The functions of an atomic object and of a reference to one: `at` is where the value is, and
// `_const` is `const` for references, which change what they refer to.
#define __CUDA_ATOMIC_FUNCTIONS(at, _const)                                                        \
    using value_type = T;                                                                          \
    static constexpr bool is_always_lock_free = true;                                              \
    __device__ bool is_lock_free() const { return true; }                                          \
    __device__ T load(memory_order order = memory_order_seq_cst) const {                           \
        return __nv_atomic_load_n(at, order, cuda::__scope<scope>::number);                        \
    }                                                                                              \
    __device__ void store(T value, memory_order order = memory_order_seq_cst) _const {             \
        __nv_atomic_store_n(at, value, order, cuda::__scope<scope>::number);                       \
    }                                                                                              \
    __device__ T exchange(T value, memory_order order = memory_order_seq_cst) _const {             \
        return __nv_atomic_exchange_n(at, value, order, cuda::__scope<scope>::number);             \
    }                                                                                              \
    __device__ bool compare_exchange_strong(T &expected, T value, memory_order order,              \
                                            memory_order failure) _const {                         \
        T wanted = expected;                                                                       \
        expected = __nv_atomic_found_by_swap(at, wanted, value, order,                             \
                                             cuda::__scope<scope>::number, failure);               \
        return cuda::__swaps<T>::same(expected, wanted);                                           \
    }                                                                                              \
    __device__ bool compare_exchange_strong(T &expected, T value,                                  \
                                            memory_order order = memory_order_seq_cst) _const {    \
        return compare_exchange_strong(expected, value, order, cuda::__failing(order));            \
    }                                                                                              \
    __device__ bool compare_exchange_weak(T &expected, T value,                                    \
                                          memory_order order = memory_order_seq_cst) _const {      \
        return compare_exchange_strong(expected, value, order, cuda::__failing(order));            \
    }                                                                                              \
    __device__ bool compare_exchange_weak(T &expected, T value, memory_order order,                \
                                          memory_order failure) _const {                           \
        return compare_exchange_strong(expected, value, order, failure);                           \
    }                                                                                              \
    __device__ T fetch_add(T value, memory_order order = memory_order_seq_cst) _const {            \
        return __nv_atomic_fetch_add(at, value, order, cuda::__scope<scope>::number);              \
    }                                                                                              \
    __device__ T fetch_sub(T value, memory_order order = memory_order_seq_cst) _const {            \
        return __nv_atomic_fetch_sub(at, value, order, cuda::__scope<scope>::number);              \
    }                                                                                              \
    __device__ T fetch_and(T value, memory_order order = memory_order_seq_cst) _const {            \
        return __nv_atomic_fetch_and(at, value, order, cuda::__scope<scope>::number);              \
    }                                                                                              \
    __device__ T fetch_or(T value, memory_order order = memory_order_seq_cst) _const {             \
        return __nv_atomic_fetch_or(at, value, order, cuda::__scope<scope>::number);               \
    }                                                                                              \
    __device__ T fetch_xor(T value, memory_order order = memory_order_seq_cst) _const {            \
        return __nv_atomic_fetch_xor(at, value, order, cuda::__scope<scope>::number);              \
    }                                                                                              \
    __device__ void wait(T old, memory_order order = memory_order_seq_cst) const {                 \
        while (load(order) == old) {                                                               \
        }                                                                                          \
    }                                                                                              \
    __device__ void notify_one() _const {}                                                         \
    __device__ void notify_all() _const {}                                                         \
    __device__ operator T() const { return load(); }                                               \
    __device__ T operator=(T value) _const {                                                       \
        store(value);                                                                              \
        return value;                                                                              \
    }                                                                                              \
    __device__ T operator++() _const { return fetch_add(1) + 1; }                                  \
    __device__ T operator++(int) _const { return fetch_add(1); }                                   \
    __device__ T operator--() _const { return fetch_sub(1) - 1; }                                  \
    __device__ T operator--(int) _const { return fetch_sub(1); }                                   \
    __device__ T operator+=(T value) _const { return fetch_add(value) + value; }                   \
    __device__ T operator-=(T value) _const { return fetch_sub(value) - value; }                   \
    __device__ T operator&=(T value) _const { return fetch_and(value) & value; }                   \
    __device__ T operator|=(T value) _const { return fetch_or(value) | value; }                    \
    __device__ T operator^=(T value) _const { return fetch_xor(value) ^ value; }

// What those of cuda:: have besides.
#define __CUDA_ATOMIC_EXTREMES(at, _const)                                                         \
    __device__ T fetch_min(T value, memory_order order = memory_order_seq_cst) _const {            \
        if constexpr (cuda::__swaps<T>::value) {                                                   \
            T found = load(memory_order_relaxed);                                                  \
            while (!compare_exchange_weak(found, value < found ? value : found, order)) {          \
            }                                                                                      \
            return found;                                                                          \
        } else {                                                                                   \
            return __nv_atomic_fetch_min(at, value, order, cuda::__scope<scope>::number);          \
        }                                                                                          \
    }                                                                                              \
    __device__ T fetch_max(T value, memory_order order = memory_order_seq_cst) _const {            \
        if constexpr (cuda::__swaps<T>::value) {                                                   \
            T found = load(memory_order_relaxed);                                                  \
            while (!compare_exchange_weak(found, found < value ? value : found, order)) {          \
            }                                                                                      \
            return found;                                                                          \
        } else {                                                                                   \
            return __nv_atomic_fetch_max(at, value, order, cuda::__scope<scope>::number);          \
        }                                                                                          \
    }

template <typename T, thread_scope scope = thread_scope_system>
class atomic {
    T __value;

  public:
    atomic() = default;
    __device__ constexpr atomic(T value) : __value(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    __CUDA_ATOMIC_FUNCTIONS(&__value, )
    __CUDA_ATOMIC_EXTREMES(&__value, )
};

template <typename T, thread_scope scope = thread_scope_system>
class atomic_ref {
    T *__value;

  public:
    __device__ explicit atomic_ref(T &value) : __value(&value) {}
    __CUDA_ATOMIC_FUNCTIONS(__value, const)
    __CUDA_ATOMIC_EXTREMES(__value, const)
};

class atomic_flag {
    atomic<int, thread_scope_system> __set;

  public:
    atomic_flag() = default;
    __device__ bool test(memory_order order = memory_order_seq_cst) const {
        return __set.load(order) != 0;
    }
    __device__ bool test_and_set(memory_order order = memory_order_seq_cst) {
        return __set.exchange(1, order) != 0;
    }
    __device__ void clear(memory_order order = memory_order_seq_cst) { __set.store(0, order); }
};

}  // namespace cuda
namespace std {

template <typename T>
class atomic {
    static constexpr cuda::thread_scope scope = cuda::thread_scope_system;
    T __value;

  public:
    atomic() = default;
    __device__ constexpr atomic(T value) : __value(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    __CUDA_ATOMIC_FUNCTIONS(&__value, )
};

template <typename T>
class atomic_ref {
    static constexpr cuda::thread_scope scope = cuda::thread_scope_system;
    T *__value;

  public:
    __device__ explicit atomic_ref(T &value) : __value(&value) {}
    __CUDA_ATOMIC_FUNCTIONS(__value, const)
};
#undef __CUDA_ATOMIC_FUNCTIONS
#undef __CUDA_ATOMIC_EXTREMES

using atomic_flag = cuda::atomic_flag;
__device__ inline void atomic_thread_fence(memory_order order) {
    cuda::atomic_thread_fence(order);
}

}  // namespace std
