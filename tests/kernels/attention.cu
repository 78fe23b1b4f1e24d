// out = softmax(Q K^T / sqrt(DIM)) V of each head, where a position sees none behind itself.
// Q, K, V and out are heads x length x DIM.
#define INFINITE __int_as_float(0x7f800000)
#define DIM 16
#define ROWS 8  // keys of a tile

// A block for a query: all its scores in shared memory, blockDim.x of which there are at most.
extern "C" __global__ void attention_naive(
    const float *Q, const float *K, const float *V, float *out, int length) {
  extern __shared__ float scores[];
  __shared__ float most, sum;
  int query = blockIdx.x, t = threadIdx.x, head = blockIdx.y * length * DIM;
  const float *q = Q + head + query * DIM;
  if (t <= query) {
    float score = 0;
    for (int d = 0; d < DIM; d++) score += q[d] * K[head + t * DIM + d];
    scores[t] = score * rsqrtf(DIM);
  }
  __syncthreads();
  if (t == 0) {
    most = -INFINITE;
    for (int i = 0; i <= query; i++) most = fmaxf(most, scores[i]);
    sum = 0;
    for (int i = 0; i <= query; i++) sum += scores[i] = expf(scores[i] - most);
  }
  __syncthreads();
  if (t < DIM) {
    float value = 0;
    for (int i = 0; i <= query; i++) value += scores[i] * V[head + i * DIM + t];
    out[head + query * DIM + t] = value / sum;
  }
}

// A thread for a query and tiles of keys in shared memory: no score is kept, for maximum, sum and
// values are corrected whenever a larger score comes.
extern "C" __global__ void attention_online(
    const float *Q, const float *K, const float *V, float *out, int length) {
  __shared__ float keys[ROWS][DIM], values[ROWS][DIM];
  int query = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y * length * DIM;
  float q[DIM], value[DIM] = {}, most = -INFINITE, sum = 0;
  for (int d = 0; d < DIM; d++)
    q[d] = query < length ? Q[head + query * DIM + d] * rsqrtf(DIM) : 0.0f;
  int last = min(length, (int)((blockIdx.x + 1) * blockDim.x));
  for (int start = 0; start < last; start += ROWS) {
    for (int i = threadIdx.x; i < ROWS * DIM; i += blockDim.x) {
      bool inside = start + i / DIM < length;
      keys[i / DIM][i % DIM] = inside ? K[head + start * DIM + i] : 0.0f;
      values[i / DIM][i % DIM] = inside ? V[head + start * DIM + i] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < ROWS && start + j <= query; j++) {
      float score = 0;
#pragma unroll
      for (int d = 0; d < DIM; d++) score += q[d] * keys[j][d];
      float larger = fmaxf(most, score), old = expf(most - larger), weight = expf(score - larger);
      sum = sum * old + weight;
#pragma unroll
      for (int d = 0; d < DIM; d++) value[d] = value[d] * old + weight * values[j][d];
      most = larger;
    }
    __syncthreads();
  }
  if (query >= length) return;
  for (int d = 0; d < DIM; d++) out[head + query * DIM + d] = value[d] / sum;
}
