// Two blocks hand a ball to and fro until its number reaches ten.
extern "C" __global__ void ping_pong(int *ball) {
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  while (atomicAdd(ball, 0) < 10) {  // BUG
    if (atomicAdd(ball, 0) % 2 == b) {
#ifdef BUGGY
      if (b == 0) atomicAdd(ball, 1);
      else atomicSub(ball, 1);
#else
      atomicAdd(ball, 1);
#endif
    }
  }
}
