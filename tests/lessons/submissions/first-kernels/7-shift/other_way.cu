// wrong: moves down instead of up
// loses: result
// says: a[0] is wrong

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  int right = i + 1 < n ? a[i + 1] : 0;
  __syncthreads();
  if (i + 1 < n) a[i] = right;
}
