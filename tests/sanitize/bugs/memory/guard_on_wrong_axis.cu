// Transposes a matrix; the guard must compare x with the width and y with the height.
extern "C" __global__ void guard_on_wrong_axis(const int *in, int *out, int height, int width) {
  int x = threadIdx.x, y = threadIdx.y;
#ifdef BUGGY
  if (x < height && y < width) out[x * height + y] = in[y * width + x];  // BUG
#else
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
#endif
}
