// right: the numbers are chosen by a switch, before the one loop

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned f, m;
  switch (i % 4) { case 0: f = 5; m = 1; break; case 1: f = 9; m = 3; break; case 2: f = 13; m = 5; break; default: f = 17; m = 7; }
  for (int turn = 0; turn < turns; turn++) x = f * x + m;
  out[i] = x;
}
