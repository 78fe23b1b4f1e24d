// The softmax of each row of x, rows x columns: exp(x - max) / sum of these.
#define INFINITE __int_as_float(0x7f800000)

// A thread for a row, which it reads three times.
extern "C" __global__ void softmax_rows(const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * columns;
  y += row * columns;
  float most = -INFINITE, sum = 0;
  for (int i = 0; i < columns; i++) most = fmaxf(most, x[i]);
  for (int i = 0; i < columns; i++) sum += y[i] = expf(x[i] - most);
  for (int i = 0; i < columns; i++) y[i] /= sum;
}

// A block for a row: two reductions in shared memory, of any power of two of threads.
extern "C" __global__ void softmax_blocks(const float *x, float *y, int rows, int columns) {
  extern __shared__ float shared[];
  int t = threadIdx.x;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float most = -INFINITE, sum = 0;
  for (int i = t; i < columns; i += blockDim.x) most = fmaxf(most, x[i]);
  shared[t] = most;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);
    __syncthreads();
  }
  most = shared[0];
  __syncthreads();  // all have read it before it becomes a sum
  for (int i = t; i < columns; i += blockDim.x) sum += expf(x[i] - most);
  shared[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  for (int i = t; i < columns; i += blockDim.x) y[i] = expf(x[i] - most) / shared[0];
}

// The largest number so far and the sum of the exponentials relative to it.
struct Partial {
  float most, sum;
};

__device__ Partial joined(Partial a, Partial b) {
  float most = fmaxf(a.most, b.most);
  if (most == -INFINITE) return {most, 0.0f};
  return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

// A warp for a row, which it reads twice: maximum and sum are found together.
extern "C" __global__ void softmax_online(const float *x, float *y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  x += row * columns;
  y += row * columns;
  Partial mine = {-INFINITE, 0};
  for (int i = lane; i < columns; i += warpSize) mine = joined(mine, {x[i], 1.0f});
  for (int step = warpSize / 2; step > 0; step /= 2) {
    Partial other = {
        __shfl_xor_sync(0xffffffffu, mine.most, step),
        __shfl_xor_sync(0xffffffffu, mine.sum, step)};
    mine = joined(mine, other);
  }
  for (int i = lane; i < columns; i += warpSize) y[i] = expf(x[i] - mine.most) / mine.sum;
}
