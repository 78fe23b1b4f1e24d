// Jacobi's method for a chain: x[i] = (x[i - 1] + x[i + 1] + load[i]) / 2 with zeros at both
// ends, many sweeps in one cooperative launch.

#include <cooperative_groups.h>

// x: the start and, after an even number of sweeps, the result; next: as large.
extern "C" __global__ void jacobi(float *x, float *next, const float *load, int n, int sweeps) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int stride = gridDim.x * blockDim.x;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
      float left = i > 0 ? x[i - 1] : 0.0f;
      float right = i + 1 < n ? x[i + 1] : 0.0f;
      next[i] = 0.5f * (left + right + load[i]);
    }
    float *swapped = x;
    x = next;
    next = swapped;
    // No block may begin the next sweep before all have written this one.
    grid.sync();
  }
}

// The same, but stops as soon as no element moved by more than the tolerance.
// moved: two counters at 0, used in turns; sweeps_done: how many it took.
extern "C" __global__ void jacobi_until(float *x, float *next, const float *load, int n,
                                        float tolerance, int most, int *moved,
                                        int *sweeps_done) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  int sweep = 0;
  bool going = true;
  while (going && sweep < most) {
    int *counter = &moved[sweep % 2];
    for (int i = thread; i < n; i += gridDim.x * blockDim.x) {
      float left = i > 0 ? x[i - 1] : 0.0f;
      float right = i + 1 < n ? x[i + 1] : 0.0f;
      next[i] = 0.5f * (left + right + load[i]);
      if (fabsf(next[i] - x[i]) > tolerance) atomicAdd(counter, 1);
    }
    cooperative_groups::this_grid().sync();
    // All read the same count, so all leave the loop together.
    going = *counter > 0;
    float *swapped = x;
    x = next;
    next = swapped;
    sweep++;
    cooperative_groups::this_grid().sync();
    // The other counter is used next; this one will be clean for the turn after.
    if (thread == 0) *counter = 0;
  }
  if (thread == 0) *sweeps_done = sweep;
}
