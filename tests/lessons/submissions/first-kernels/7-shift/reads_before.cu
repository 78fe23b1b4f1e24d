// wrong: reads in front of the array
// loses: fault
// says: reads a[-1]

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  int left = a[i - 1];
  __syncthreads();
  if (0 < i && i < n) a[i] = left;
}
