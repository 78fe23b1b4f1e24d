// Two blocks hand a ball to and fro until its number reaches ten, and count how often they hit it.
extern "C" __global__ void ping_pong(int *ball, int *hits) {
  if (threadIdx.x != 0) return;
  int b = blockIdx.x, number;
  while ((number = atomicAdd(ball, 0)) < 10) {  // BUG
    if (number % 2 == b) {
      hits[b]++;
#ifdef BUGGY
      atomicExch(ball, 1 - b);
#else
      atomicExch(ball, number + 1);
#endif
    }
  }
}
