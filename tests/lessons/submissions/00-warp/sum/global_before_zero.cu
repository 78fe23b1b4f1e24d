// wrong: adds to what another warp has not yet set to 0
// loses: schedule
// says: right in lockstep, but not in the order

extern "C" __global__ void sum(const int *in, int count, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) out[blockIdx.x] = 0;
  int value = __reduce_add_sync(0xffffffffu, i < count ? in[i] : 0);
  if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], value);
}
