// How many elements are above a bound? Each that is adds 1 to *count, which may
// not be 0 before: others count there, too.
//
// All threads count in the same place. There may be more threads than
// elements.

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Your code here.
}
