// Two blocks take a hundred turns each: whoever has had his hands the turn over.
extern "C" __global__ void blocks_take_turns(int *turn, int *out) {
  int b = blockIdx.x, rounds = 0;
  if (threadIdx.x != 0) return;
  while (rounds < 100) {
    while (atomicAdd(turn, 0) != b);  // BUG
    rounds++;
#ifdef BUGGY
    atomicExch(turn, b + 1);
#else
    atomicExch(turn, 1 - b);
#endif
  }
  out[b] = rounds;
}
