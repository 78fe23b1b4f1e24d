// Thread 0 waits for a flag that the others set behind the barrier that it has not reached.
extern "C" __global__ void waits_in_front_of_a_barrier(int *flag, int *out) {
#ifdef BUGGY
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0);  // BUG
  }
  __syncthreads();
  if (threadIdx.x == 32) atomicExch(flag, 1);
#else
  if (threadIdx.x == 32) atomicExch(flag, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0);
  }
#endif
  out[threadIdx.x] = 6;
}
