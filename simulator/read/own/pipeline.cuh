// What programs get of <cuda/pipeline>: batches of asynchronous copies, of one thread, or of the
// threads of a block, whose stages are two barriers each: one for what was copied, and one for what
// is free again.
#include <cuda/barrier>
namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope scope, unsigned char stages>
class pipeline_shared_state {
  public:
    barrier<scope> __full[stages];
    barrier<scope> __empty[stages];
    unsigned __producers;
    pipeline_shared_state() = default;
    pipeline_shared_state(const pipeline_shared_state &) = delete;
};

template <thread_scope scope>
class pipeline;

template <>
class pipeline<thread_scope_thread> {
    unsigned long __begun;
    unsigned long __waited;

  public:
    __device__ pipeline() : __begun(0), __waited(0) {}
    __device__ void producer_acquire() {}
    __device__ void producer_commit() {
        __pipeline_commit();
        __begun++;
    }
    __device__ void consumer_wait() {
        if (__waited < __begun) {
            __waited++;
            __pipeline_wait_prior(__begun - __waited);
        }
    }
    __device__ void consumer_release() {}
    __device__ void __wait_prior(unsigned long prior) {
        __pipeline_wait_prior(prior);
        __waited = __begun > prior ? __begun - prior : 0;
    }
    __device__ bool quit() { return true; }
};

template <>
class pipeline<thread_scope_block> {
    barrier<thread_scope_block> *__full;
    barrier<thread_scope_block> *__empty;
    unsigned __stages;
    unsigned __head;
    unsigned __tail;
    bool __filled;
    bool __freed;

  public:
    __device__ pipeline(barrier<thread_scope_block> *full, barrier<thread_scope_block> *empty,
                        unsigned stages)
        : __full(full), __empty(empty), __stages(stages), __head(0), __tail(0), __filled(false),
          __freed(true) {}
    __device__ void producer_acquire() { __empty[__head].wait_parity(__freed); }
    __device__ void producer_commit() {
        __full[__head].__take_copies();
        __full[__head].arrive();
        __head++;
        if (__head == __stages) {
            __head = 0;
            __freed = !__freed;
        }
    }
    __device__ void consumer_wait() { __full[__tail].wait_parity(__filled); }
    __device__ void consumer_release() {
        __empty[__tail].arrive();
        __tail++;
        if (__tail == __stages) {
            __tail = 0;
            __filled = !__filled;
        }
    }
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() {
    return pipeline<thread_scope_thread>();
}

template <typename Group, thread_scope scope, unsigned char stages>
__device__ pipeline<scope> __made_pipeline(const Group &group,
                                           pipeline_shared_state<scope, stages> *state,
                                           unsigned producers, unsigned consumers) {
    if (group.thread_rank() == 0) {
        for (int stage = 0; stage < stages; stage++) {
            init(&state->__full[stage], producers);
            init(&state->__empty[stage], consumers);
        }
    }
    group.sync();
    return pipeline<scope>(state->__full, state->__empty, stages);
}

template <typename Group, thread_scope scope, unsigned char stages>
__device__ pipeline<scope> make_pipeline(const Group &group,
                                         pipeline_shared_state<scope, stages> *state) {
    return __made_pipeline(group, state, (unsigned)group.size(), (unsigned)group.size());
}

// The third argument is how many threads are producers, or the role of each thread.
template <typename Group, thread_scope scope, unsigned char stages>
__device__ pipeline<scope> make_pipeline(const Group &group,
                                         pipeline_shared_state<scope, stages> *state,
                                         size_t producers) {
    return __made_pipeline(group, state, (unsigned)producers,
                           (unsigned)(group.size() - producers));
}

template <typename Group, thread_scope scope, unsigned char stages>
__device__ pipeline<scope> make_pipeline(const Group &group,
                                         pipeline_shared_state<scope, stages> *state,
                                         pipeline_role role) {
    if (group.thread_rank() == 0) {
        state->__producers = 0;
    }
    group.sync();
    if (role == pipeline_role::producer) {
        __nv_atomic_fetch_add(&state->__producers, 1, __NV_ATOMIC_RELAXED,
                              __NV_THREAD_SCOPE_BLOCK);
    }
    group.sync();
    return make_pipeline(group, state, (size_t)state->__producers);
}

template <unsigned char prior>
__device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &pipe) {
    pipe.__wait_prior(prior);
}

}  // namespace cuda
