// Elements are of four kinds, by the remainder of their place by 4, and every
// kind has two numbers: what an element is multiplied by, and what is added, in
// each of `turns` turns, which may be none. Blocks have 128 threads.
//
// The results must stay as they are. What must become less is the work of the
// warps: lanes that take different ways go one way after the other.

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  // BEGIN SOLUTION
  //| int kind = i % 4;
  //| if (kind == 0) {
  //|   for (int turn = 0; turn < turns; turn++) x = 5 * x + 1;
  //| } else if (kind == 1) {
  //|   for (int turn = 0; turn < turns; turn++) x = 9 * x + 3;
  //| } else if (kind == 2) {
  //|   for (int turn = 0; turn < turns; turn++) x = 13 * x + 5;
  //| } else {
  //|   for (int turn = 0; turn < turns; turn++) x = 17 * x + 7;
  //| }
  // What differs is data: the lanes choose numbers, and run the same loop.
  const unsigned factors[4] = {5, 9, 13, 17};
  const unsigned added[4] = {1, 3, 5, 7};
  unsigned factor = factors[i % 4];
  unsigned more = added[i % 4];
  for (int turn = 0; turn < turns; turn++) x = factor * x + more;
  // END SOLUTION
  out[i] = x;
}
