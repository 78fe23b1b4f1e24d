// wrong: a barrier that only some threads reach
// loses: fault
// says: a barrier that

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;
  if (moves) {
    int left = a[i - 1];
    __syncthreads();
    a[i] = left;
  }
}
