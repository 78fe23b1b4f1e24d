// Moves all elements of `a` one place up: a[1] becomes what a[0] was, and so
// on. The first one, a[0], stays, and the last one is lost. There is one
// block, with at least n threads.
//
// It is right in one order of the warps, and wrong in another.

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;  // whether a[i] becomes another one
  // BEGIN SOLUTION
  //| if (moves) a[i] = a[i - 1];
  int left = moves ? a[i - 1] : 0;
  __syncthreads();
  if (moves) a[i] = left;
  // END SOLUTION
}
