// An exclusive prefix sum: each sum belongs one place further on, and the first one is zero.
extern "C" __global__ void exclusive_scan_start(const int *in, int *starts, int *out, int n) {
  int sum = 0;
#ifndef BUGGY
  starts[0] = 0;
#endif
  for (int i = 0; i < n; i++) {
    sum += in[i];
    starts[i + 1] = sum;
  }
  for (int i = 0; i <= n; i++) out[i] = starts[i] + 1;  // BUG
}
