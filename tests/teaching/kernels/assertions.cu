// assert says what must hold and stops the kernel where it does not; printf shows a value
// in passing. NVRTC brings both without a header.

#ifndef __CUDACC_RTC__
#include <assert.h>
#include <stdio.h>
#endif

// The inverse of a permutation: out[offsets[i]] = i.
extern "C" __global__ void invert(const int *offsets, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = offsets[i];
  assert(place >= 0 && place < n);
  out[place] = i;
}

// Checks that `inverse` undoes `offsets`, counts the offsets that stand at their own place
// (fixed starts at 0), and says so once.
extern "C" __global__ void check_inverse(const int *offsets, const int *inverse, int *fixed,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool own = false;
  if (i < n) {
    // A failed assert names its line, block and thread.
    assert(inverse[offsets[i]] == i);
    own = offsets[i] == i;
  }
  int count = __syncthreads_count(own);
  if (threadIdx.x == 0 && count > 0) atomicAdd(fixed, count);
  if (i == 0) printf("%d offsets from %d on: %s\n", n, offsets[0], "inverted");
}
