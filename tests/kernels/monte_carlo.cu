// How many of the points that each thread throws into a square are in its quarter of a circle.
#include <curand_kernel.h>

template <typename State>
__device__ int hits(State &state, int count) {
  int found = 0;
  for (int k = 0; k < count; k++) {
    float x = curand_uniform(&state), y = curand_uniform(&state);
    found += __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) <= 1.0f;
  }
  return found;
}

// A seed for each thread; the states are kept from launch to launch.
extern "C" __global__ void monte_carlo_seed(curandState *states, int n, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) curand_init(seed + i, 0, 0, &states[i]);
}

extern "C" __global__ void monte_carlo_xorwow(curandState *states, int n, int count, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandState mine = states[i];
  found[i] += hits(mine, count);
  states[i] = mine;
}

// One seed and a subsequence for each thread; Philox is cheap to begin.
extern "C" __global__ void monte_carlo_philox(
    int n, int count, unsigned long long seed, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t mine;
  curand_init(seed, i, 0, &mine);
  found[i] = hits(mine, count);
}
