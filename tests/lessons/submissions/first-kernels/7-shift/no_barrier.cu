// wrong: a variable, and no barrier
// loses: sanitizer
// says: race on a[

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;
  if (moves) {
    int left = a[i - 1];
    a[i] = left;
  }
}
