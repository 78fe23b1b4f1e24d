// Reads the flag once and waits for its copy to change.
extern "C" __global__ void copy_of_the_flag(volatile int *flag, int *started, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    int seen = *flag;
    atomicExch(started, 1);
#ifdef BUGGY
    while (seen == 0) {  // BUG
    }
#else
    while (seen == 0) seen = *flag;
#endif
    *out = seen;
  } else {
    while (atomicAdd(started, 0) == 0);
    *flag = 8;
  }
}
