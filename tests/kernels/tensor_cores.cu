// Products of matrices by fragments that whole warps hold together.
#include <mma.h>

using namespace nvcuda;

// A, B and C are M x K, K x N and M x N, by rows.
#define TILE 16
typedef wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> Left;
typedef wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> Right;
typedef wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> Sum;

// A warp has a tile of C, and reads A and B as they are.
extern "C" __global__ void wmma_global(const half *A, const half *B, float *C, int M, int N, int K) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int row = warp / (N / TILE) * TILE, column = warp % (N / TILE) * TILE;
  if (row >= M) return;
  Left a;
  Right b;
  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += TILE) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + column, N);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + row * N + column, sum, N, wmma::mem_row_major);
}

// Four warps have a square of C, each of them 2 x 2 tiles. Lines in shared memory are filled up, so
// that eight of them lie in different banks.
#define SQUARE 64
#define FILLED (TILE + 8)

template <int ROWS, int LENGTH, int LINE>
__device__ void copy_rows(half (&to)[ROWS][LINE], const half *from, int ldm) {
  for (int i = threadIdx.x; i < ROWS * LENGTH / 8; i += blockDim.x) {
    int row = i / (LENGTH / 8), at = i % (LENGTH / 8) * 8;
    *reinterpret_cast<float4 *>(&to[row][at]) =
        *reinterpret_cast<const float4 *>(&from[row * ldm + at]);
  }
}

extern "C" __global__ void wmma_shared(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ __align__(128) half a[SQUARE][FILLED];
  __shared__ __align__(128) half b[TILE][SQUARE + 8];
  int warp = threadIdx.x / warpSize, row = warp / 2 * 32, column = warp % 2 * 32;
  A += blockIdx.y * SQUARE * K;
  B += blockIdx.x * SQUARE;
  C += blockIdx.y * SQUARE * N + blockIdx.x * SQUARE;
  Left left[2];
  Right right[2];
  Sum sums[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[i][j], 0.0f);
  for (int k = 0; k < K; k += TILE) {
    copy_rows<SQUARE, TILE>(a, A + k, K);
    copy_rows<TILE, SQUARE>(b, B + k * N, N);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; i++) {
      wmma::load_matrix_sync(left[i], &a[row + i * TILE][0], FILLED);
      wmma::load_matrix_sync(right[i], &b[0][column + i * TILE], SQUARE + 8);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      float *to = C + (row + i * TILE) * N + column + j * TILE;
      wmma::store_matrix_sync(to, sums[i][j], N, wmma::mem_row_major);
    }
}

// C = alpha * A * B^T + beta * C in floats, of which 11 bits count; the sum passes by shared memory.
extern "C" __global__ void wmma_tf32(
    const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta) {
  __shared__ alignas(32) float tile[TILE * TILE];
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum, old;
  A += blockIdx.y * TILE * K;
  B += blockIdx.x * TILE * K;
  C += blockIdx.y * TILE * N + blockIdx.x * TILE;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += 8) {
    wmma::load_matrix_sync(a, A + k, K);
    wmma::load_matrix_sync(b, B + k, K);
    for (int i = 0; i < a.num_elements; i++) a.x[i] = wmma::__float_to_tf32(a.x[i]);
    for (int i = 0; i < b.num_elements; i++) b.x[i] = wmma::__float_to_tf32(b.x[i]);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::load_matrix_sync(old, C, N, wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] = alpha * sum.x[i] + beta * old.x[i];
  wmma::store_matrix_sync(tile, sum, TILE, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < TILE * TILE; i += warpSize) C[i / TILE * N + i % TILE] = tile[i];
}

// Bytes, added in integers: a warp has 8 rows and 32 columns.
extern "C" __global__ void wmma_bytes(
    const signed char *A, const signed char *B, int *C, int M, int N, int K) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> sum;
  int row = blockIdx.y * 8, column = blockIdx.x * 32;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + column, N);
    wmma::mma_sync(sum, a, b, sum, true);
  }
  wmma::store_matrix_sync(C + row * N + column, sum, N, wmma::mem_row_major);
}
