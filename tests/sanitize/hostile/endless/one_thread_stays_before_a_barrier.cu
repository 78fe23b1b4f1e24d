extern "C" __global__ void one_thread_stays_before_a_barrier(int *a) {
  if (threadIdx.x == 40) {
    while (true) a[blockIdx.x]++;
  }
  __syncthreads();
}
