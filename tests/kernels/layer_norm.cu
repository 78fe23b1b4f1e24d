// y = (x - mean) / sqrt(variance + EPSILON) * weight + bias, of each row of x.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define EPSILON 1e-5f

// A thread for a row.
extern "C" __global__ void layer_norm_rows(
    const float *x, const float *weight, const float *bias, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * columns;
  float mean = 0, variance = 0;
  for (int i = 0; i < columns; i++) mean += x[i];
  mean /= columns;
  for (int i = 0; i < columns; i++) variance += (x[i] - mean) * (x[i] - mean);
  float scale = rsqrtf(variance / columns + EPSILON);
  for (int i = 0; i < columns; i++)
    y[row * columns + i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

// A warp for a row, whose sums its lanes make together.
extern "C" __global__ void layer_norm_warps(
    const float *x, const float *weight, const float *bias, float *y, int rows, int columns) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  x += row * columns;
  float sum = 0, squares = 0;
  for (int i = warp.thread_rank(); i < columns; i += warp.size()) sum += x[i];
  float mean = cg::reduce(warp, sum, cg::plus<float>()) / columns;
  for (int i = warp.thread_rank(); i < columns; i += warp.size())
    squares += (x[i] - mean) * (x[i] - mean);
  float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>()) / columns + EPSILON);
  for (int i = warp.thread_rank(); i < columns; i += warp.size()) {
    y[row * columns + i] = (x[i] - mean) * scale * weight[i] + bias[i];
  }
}

// Count, mean and squared distances from it: two of them join exactly, as Welford and Chan have it.
struct Moments {
  float count, mean, squares;
  __device__ Moments operator+(const Moments &other) const {
    float all = count + other.count, apart = other.mean - mean;
    if (all == 0) return *this;
    return {
        all, mean + apart * other.count / all,
        squares + other.squares + apart * apart * count * other.count / all};
  }
};

__device__ Moments from(int step, const Moments &mine) {
  return {
      __shfl_down_sync(0xffffffffu, mine.count, step),
      __shfl_down_sync(0xffffffffu, mine.mean, step),
      __shfl_down_sync(0xffffffffu, mine.squares, step)};
}

// A block for a row that is read once into registers, four numbers in a load: 4 blockDim at most.
extern "C" __global__ void layer_norm_once(
    const float *x, const float *weight, const float *bias, float *y, int rows, int columns) {
  __shared__ Moments of_warps[32];
  int t = threadIdx.x, lane = t % warpSize, warp = t / warpSize, row = blockIdx.x;
  bool mine = 4 * t < columns;
  float4 v = mine ? reinterpret_cast<const float4 *>(x + row * columns)[t] : float4{};
  Moments found = {};
  if (mine)
    found = Moments{1, v.x, 0} + Moments{1, v.y, 0} + Moments{1, v.z, 0} + Moments{1, v.w, 0};
  for (int step = warpSize / 2; step > 0; step /= 2) found = found + from(step, found);
  if (lane == 0) of_warps[warp] = found;
  __syncthreads();
  if (warp == 0) {
    found = lane < blockDim.x / warpSize ? of_warps[lane] : Moments{};
    for (int step = warpSize / 2; step > 0; step /= 2) found = found + from(step, found);
    if (lane == 0) of_warps[0] = found;
  }
  __syncthreads();
  if (!mine) return;
  float mean = of_warps[0].mean, scale = rsqrtf(of_warps[0].squares / columns + EPSILON);
  float4 w = reinterpret_cast<const float4 *>(weight)[t],
         b = reinterpret_cast<const float4 *>(bias)[t];
  reinterpret_cast<float4 *>(y + row * columns)[t] = make_float4(
      (v.x - mean) * scale * w.x + b.x, (v.y - mean) * scale * w.y + b.y,
      (v.z - mean) * scale * w.z + b.z, (v.w - mean) * scale * w.w + b.w);
}
