// The acceleration of each body by all others; x, y, z of a float4 are its place, w is its mass.
#define SOFTENING 0.01f

__device__ float3 pulled(float3 sum, float4 mine, float4 other) {
  float x = other.x - mine.x, y = other.y - mine.y, z = other.z - mine.z;
  float inverse = rsqrtf(x * x + y * y + z * z + SOFTENING);
  float scale = other.w * inverse * inverse * inverse;
  return make_float3(sum.x + x * scale, sum.y + y * scale, sum.z + z * scale);
}

extern "C" __global__ void nbody_plain(const float4 *bodies, float4 *accelerations, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 sum = {0, 0, 0};
  for (int j = 0; j < n; j++) sum = pulled(sum, bodies[i], bodies[j]);
  accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

// As many bodies as a block has threads in shared memory at a time.
extern "C" __global__ void nbody_tiles(const float4 *bodies, float4 *accelerations, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 mine = i < n ? bodies[i] : float4{};
  float3 sum = {0, 0, 0};
  for (int start = 0; start < n; start += blockDim.x) {
    int j = start + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : float4{};  // no mass, no pull
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < blockDim.x; k++) sum = pulled(sum, mine, tile[k]);
    __syncthreads();
  }
  if (i < n) accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
