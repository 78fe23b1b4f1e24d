// wrong: the barrier behind the write
// loses: sanitizer
// says: race on a[

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;
  if (moves) a[i] = a[i - 1];
  __syncthreads();
}
