// Each thread keeps the four elements of its row in an array of its own.
extern "C" __global__ void local_last_element(const int *in, int *out) {
  int row[4];
#ifdef BUGGY
  for (int k = 0; k < 3; k++) row[k] = in[4 * threadIdx.x + k];
#else
  for (int k = 0; k < 4; k++) row[k] = in[4 * threadIdx.x + k];
#endif
  int most = row[0];
  for (int k = 1; k < 4; k++) most = max(most, row[k]);  // BUG
  out[threadIdx.x] = most;
}
