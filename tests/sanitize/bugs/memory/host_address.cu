// `host` is where the array stands in the memory of the host; `device` is its copy.
extern "C" __global__ void host_address(const int *host, const int *device, int *out) {
#ifdef BUGGY
  const int *from = host;
#else
  const int *from = device;
#endif
  out[threadIdx.x] = 3 * from[threadIdx.x];  // BUG
}
