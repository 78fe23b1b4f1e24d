// wrong: race: as it was
// loses: schedule
// says: not in the order warp

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;
  if (moves) a[i] = a[i - 1];
}
