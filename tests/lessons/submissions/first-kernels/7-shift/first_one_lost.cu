// wrong: the first element does not stay
// loses: result
// says: a[0] is wrong

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;
  int left = moves ? a[i - 1] : 0;
  __syncthreads();
  if (i < n) a[i] = left;
}
