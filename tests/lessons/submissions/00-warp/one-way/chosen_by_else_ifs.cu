// right: the numbers are chosen by a chain of ifs, which a compiler turns into selections

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  int kind = i % 4;
  unsigned f, m;
  if (kind == 0) { f = 5; m = 1; }
  else if (kind == 1) { f = 9; m = 3; }
  else if (kind == 2) { f = 13; m = 5; }
  else { f = 17; m = 7; }
  for (int turn = 0; turn < turns; turn++) x = f * x + m;
  out[i] = x;
}
