// The semicolon is the loop's body.
extern "C" __global__ void semicolon_after_while(const int *in, int *out, int n) {
  int i = 0, sum = 0;
#ifdef BUGGY
  while (i < n);  // BUG
#else
  while (i < n)
#endif
  {
    sum += in[i];
    i++;
  }
  out[threadIdx.x] = sum;
}
