// wrong: one thread moves all
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  if (i > 0) return;
  for (int k = n - 1; k > 0; k--) a[k] = a[k - 1];
}
