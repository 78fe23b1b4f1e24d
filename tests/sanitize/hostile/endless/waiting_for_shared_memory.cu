extern "C" __global__ void waiting_for_shared_memory(int *a) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  while (flag == 0);
}
