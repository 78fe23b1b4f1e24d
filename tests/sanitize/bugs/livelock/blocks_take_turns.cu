// Two blocks take a hundred turns each: whoever has had his hands the turn over.
extern "C" __global__ void blocks_take_turns(int *turn, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  for (int round = 1; round <= 100; round++) {
    while (atomicAdd(turn, 0) != b);  // BUG
    out[b] = round;
#ifdef BUGGY
    atomicExch(turn, b + 1);
#else
    atomicExch(turn, 1 - b);
#endif
  }
}
