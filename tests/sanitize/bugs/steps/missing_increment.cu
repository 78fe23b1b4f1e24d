// Sums the elements of a row.
extern "C" __global__ void missing_increment(const int *in, int *sums, int m) {
  int j = 0;
  while (j < m) {  // BUG
    sums[threadIdx.x] += in[m * threadIdx.x + j];
#ifndef BUGGY
    j++;
#endif
  }
}
