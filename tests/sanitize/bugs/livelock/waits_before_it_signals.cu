// Two blocks meet: each tells the other that it is there.
extern "C" __global__ void waits_before_it_signals(int *here, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x != 0) return;
#ifdef BUGGY
  while (atomicAdd(&here[1 - b], 0) == 0);  // BUG
  atomicExch(&here[b], 1);
#else
  atomicExch(&here[b], 1);
  while (atomicAdd(&here[1 - b], 0) == 0);
#endif
  out[b] = 3;
}
