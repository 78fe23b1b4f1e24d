// A sort by neighbours in one block, which ends when no pair was swapped; equal keys stay.
extern "C" __global__ void equal_neighbours_swapped(int *keys, int *values, int n) {
  int again = 1, parity = 0;
  while (again) {  // BUG
    again = 0;
    for (int half = 0; half < 2; half++, parity = 1 - parity) {  // BUG
      int i = 2 * threadIdx.x + parity, swap = 0;
      if (i + 1 < n) {
#ifdef BUGGY
        swap = keys[i] >= keys[i + 1];
#else
        swap = keys[i] > keys[i + 1];
#endif
        if (swap) {
          int key = keys[i], value = values[i];
          keys[i] = keys[i + 1];
          values[i] = values[i + 1];
          keys[i + 1] = key;
          values[i + 1] = value;
        }
      }
      again |= __syncthreads_or(swap);
    }
  }
}
