// The same work twice: odd elements and even ones are mixed in two ways, in as
// many turns. What differs is who has which element.

__device__ unsigned even_way(unsigned x, int turns) {
  for (int turn = 0; turn < turns; turn++) x ^= x >> 1;
  return x;
}

__device__ unsigned odd_way(unsigned x, int turns) {
  for (int turn = 0; turn < turns; turn++) x = 3 * x + 1;
  return x;
}

// A thread has the element of its own number: in every warp, half of the lanes
// go the one way and half the other.
extern "C" __global__ void parted(unsigned *a, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = a[i];
  if (i % 2 == 0)
    x = even_way(x, turns);
  else
    x = odd_way(x, turns);
  a[i] = x;
}

// Every first warp of two has the even elements of both, and every second one
// has the odd elements: the lanes of a warp agree.
extern "C" __global__ void together(unsigned *a, int turns) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = t / warpSize;
  int lane = t % warpSize;
  // The two warps share the elements from here on.
  int first = warp / 2 * 2 * warpSize;
  int i = first + 2 * lane + warp % 2;
  unsigned x = a[i];
  if (warp % 2 == 0)
    x = even_way(x, turns);
  else
    x = odd_way(x, turns);
  a[i] = x;
}
