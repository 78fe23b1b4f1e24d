// right: each warp has one kind, and takes every fourth element of the block

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  // Four warps: warp w has the elements of kind w.
  int kind = threadIdx.x / 32;
  int i = blockIdx.x * 128 + 4 * (threadIdx.x % 32) + kind;
  if (i >= count) return;
  unsigned x = in[i];
  if (kind == 0)
    for (int turn = 0; turn < turns; turn++) x = 5 * x + 1;
  else if (kind == 1)
    for (int turn = 0; turn < turns; turn++) x = 9 * x + 3;
  else if (kind == 2)
    for (int turn = 0; turn < turns; turn++) x = 13 * x + 5;
  else
    for (int turn = 0; turn < turns; turn++) x = 17 * x + 7;
  out[i] = x;
}
