// Kernels whose threads meet by libcu++: pipelines, barriers in memory, and atomics with orders.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int TILE = 128;

// Each block smooths its rows of an image, of which the next one is copied meanwhile: out is the
// mean of three neighbours, round and round in a row of TILE numbers.
extern "C" __global__ void smooth_rows(const float *in, float *out, int rows) {
  __shared__ alignas(16) float buffer[2][TILE];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const auto bytes = cuda::aligned_size_t<16>(sizeof(float) * TILE);
  int t = threadIdx.x, step = gridDim.x;
  pipe.producer_acquire();
  if ((int)blockIdx.x < rows) {
    cuda::memcpy_async(block, buffer[0], in + TILE * blockIdx.x, bytes, pipe);
  }
  pipe.producer_commit();
  for (int row = blockIdx.x, at = 0; row < rows; row += step, at ^= 1) {
    pipe.producer_acquire();
    if (row + step < rows) {
      cuda::memcpy_async(block, buffer[at ^ 1], in + TILE * (row + step), bytes, pipe);
    }
    pipe.producer_commit();
    pipe.consumer_wait();
    const float *here = buffer[at];
    float sum = here[(t + TILE - 1) % TILE] + here[t] + here[(t + 1) % TILE];
    pipe.consumer_release();
    out[TILE * row + t] = sum / 3.0f;
  }
}

// The first warp of a block fetches tiles, and the others add the products of their rows to sums:
// out[row] is the product of a matrix with a vector. Two barriers for each of two buffers say that
// it is full, and that it is free again.
extern "C" __global__ void split_gemv(const float *matrix, const float *x, float *out, int columns) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ float part[2][32];
  __shared__ Barrier full[2], free_again[2];
  int t = threadIdx.x;
  if (t < 2) {
    init(&full[t], blockDim.x);
    init(&free_again[t], blockDim.x);
  }
  __syncthreads();
  int tiles = columns / 32;
  if (t < 32) {
    for (int tile = 0; tile < tiles; tile++) {
      free_again[tile % 2].arrive_and_wait();
      part[tile % 2][t] = x[32 * tile + t];
      auto token = full[tile % 2].arrive();
      (void)token;
    }
  } else {
    auto first = free_again[0].arrive();
    auto second = free_again[1].arrive();
    (void)first;
    (void)second;
    int row = (blockDim.x - 32) * blockIdx.x + t - 32;
    float sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
      full[tile % 2].arrive_and_wait();
      for (int i = 0; i < 32; i++) {
        sum += matrix[columns * row + 32 * tile + i] * part[tile % 2][i];
      }
      if (tile + 2 < tiles) {
        auto token = free_again[tile % 2].arrive();
        (void)token;
      }
    }
    out[row] = sum;
  }
}

// Blocks enter their numbers into a list that is kept in order, under a lock by tickets.
extern "C" __global__ void ticket_insert(unsigned *lock, const int *in, int *list, int *length) {
  using Counter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
  Counter drawn(lock[0]), served(lock[1]);
  if (threadIdx.x == 0) {
    unsigned mine = drawn.fetch_add(1, cuda::memory_order_relaxed);
    while (served.load(cuda::memory_order_acquire) != mine) {
    }
    int number = in[blockIdx.x], at = *length;
    for (; at > 0 && list[at - 1] > number; at--) list[at] = list[at - 1];
    list[at] = number;
    *length += 1;
    served.store(mine + 1, cuda::memory_order_release);
  }
}

// The block that is done last adds up the sums of all blocks.
extern "C" __global__ void last_block_sum(const int *in, int *sums, unsigned *done, int *out, int n) {
  __shared__ int sum;
  __shared__ bool last;
  int t = threadIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> own(sum);
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    own.fetch_add(in[i], cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (t == 0) {
    sums[blockIdx.x] = sum;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*done);
    last = count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    sum = 0;
  }
  __syncthreads();
  if (last) {
    for (int i = t; i < (int)gridDim.x; i += blockDim.x) own.fetch_add(sums[i]);
    __syncthreads();
    if (t == 0) *out = sum;
  }
}
