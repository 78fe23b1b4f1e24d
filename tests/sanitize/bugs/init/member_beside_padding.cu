// Points of three coordinates in 16 bytes, of which 4 are padding: copied whole.
struct __align__(16) Point {
  int x, y, z;
};

extern "C" __global__ void member_beside_padding(const int *in, int *out) {
  __shared__ Point points[32];
  points[threadIdx.x].x = in[threadIdx.x];
  points[threadIdx.x].y = 2 * in[threadIdx.x];
#ifndef BUGGY
  points[threadIdx.x].z = 0;
#endif
  __syncthreads();
  Point other = points[31 - threadIdx.x];  // BUG
  out[threadIdx.x] = other.x + other.y;
}
