// Moves all elements of `a` one place down: a[0] becomes what a[1] was, and so
// on. The last one, a[n - 1], stays. There is one block, with at least n
// threads.
//
// It is right in one order of the warps, and wrong in another.

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  if (i + 1 < n) a[i] = a[i + 1];
}
