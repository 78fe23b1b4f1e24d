// Gravity of n bodies on each other. A tile of bodies is brought into shared memory once
// and used by all threads of the block: one load for TILE interactions.

#define TILE 32
#define SOFTENING 0.01f

// x, y, z and w = mass of a body; the softening keeps a body from dividing by its
// distance to itself.
__device__ float3 attraction(float4 at, float4 other) {
  float dx = other.x - at.x;
  float dy = other.y - at.y;
  float dz = other.z - at.z;
  float square = dx * dx + dy * dy + dz * dz + SOFTENING;
  float strength = other.w / (square * sqrtf(square));
  return make_float3(dx * strength, dy * strength, dz * strength);
}

// Blocks of TILE threads, one thread a body.
extern "C" __global__ void accelerations(const float4 *bodies, float3 *out, int n) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float4 nobody = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 own = nobody;
  if (i < n) own = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int first = 0; first < n; first += TILE) {
    // Past the end stand bodies without mass, which attract nothing.
    int j = first + threadIdx.x;
    tile[threadIdx.x] = nobody;
    if (j < n) tile[threadIdx.x] = bodies[j];
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      float3 pull = attraction(own, tile[k]);
      sum.x += pull.x;
      sum.y += pull.y;
      sum.z += pull.z;
    }
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
