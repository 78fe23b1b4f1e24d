// The fence stands behind the flag: the data may come after it.
extern "C" __global__ void flag_before_data(int *data, int *ready, int *out) {
  volatile int *flag = ready;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 23;  // BUG
#ifdef BUGGY
    *flag = 1;
    __threadfence();
#else
    __threadfence();
    *flag = 1;
#endif
  } else {
    while (*flag == 0);
    __threadfence();
    *out = *data;  // BUG
  }
}
