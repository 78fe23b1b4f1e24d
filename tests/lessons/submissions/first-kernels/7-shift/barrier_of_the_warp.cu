// wrong: a barrier of the warp where the block must wait
// loses: schedule
// says: not in the order warp

extern "C" __global__ void shift(int *a, int n) {
  int i = threadIdx.x;
  bool moves = 0 < i && i < n;
  int left = moves ? a[i - 1] : 0;
  __syncwarp();
  if (moves) a[i] = left;
}
