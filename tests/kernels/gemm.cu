// C = A B with A of M x K, B of K x N, all row by row: ten versions, each the last and one idea.
// Versions with tiles want M and N to be multiples of 32, and K one of 8.
#include <cuda_fp16.h>

#define TILE 16
#define WIDE 32  // rows and columns of C that a block has
#define DEEP 8   // columns of A that a step has

// A thread for an element, neighbours below each other: every access of A and C is strided.
extern "C" __global__ void gemm_naive(
    const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}

// The same with neighbours beside each other.
extern "C" __global__ void gemm_coalesced(
    const float *A, const float *B, float *C, int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum = fmaf(A[row * K + k], B[k * N + column], sum);
  C[row * N + column] = sum;
}

// Tiles of A and B in shared memory, each number of which TILE threads read.
template <int PAD>
__device__ void tiled(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float a[TILE][TILE + PAD], b[TILE][TILE + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int start = 0; start < K; start += TILE) {
    // With a padding A's tile is kept by columns: without one its stores would meet in a bank.
    float left = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
    if constexpr (PAD != 0) a[x][y] = left;
    else a[y][x] = left;
    b[y][x] = column < N && start + y < K ? B[(start + y) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += (PAD != 0 ? a[k][y] : a[y][k]) * b[k][x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}

extern "C" __global__ void gemm_tiles(
    const float *A, const float *B, float *C, int M, int N, int K) {
  tiled<0>(A, B, C, M, N, K);
}

extern "C" __global__ void gemm_padded(
    const float *A, const float *B, float *C, int M, int N, int K) {
  tiled<1>(A, B, C, M, N, K);
}

// A thread has four elements below each other: a number of B is read once for all four.
extern "C" __global__ void gemm_column_of_registers(
    const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float a[WIDE][DEEP], b[DEEP][WIDE];
  int column = threadIdx.x % WIDE, group = threadIdx.x / WIDE;  // 8 groups of 4 rows
  A += blockIdx.y * WIDE * K;
  B += blockIdx.x * WIDE;
  C += blockIdx.y * WIDE * N + blockIdx.x * WIDE;
  float sums[4] = {};
  for (int start = 0; start < K; start += DEEP) {
    a[threadIdx.x / DEEP][threadIdx.x % DEEP] =
        A[threadIdx.x / DEEP * K + start + threadIdx.x % DEEP];
    b[group][column] = B[(start + group) * N + column];
    __syncthreads();
    for (int k = 0; k < DEEP; k++) {
      float right = b[k][column];
#pragma unroll
      for (int i = 0; i < 4; i++) sums[i] += a[group * 4 + i][k] * right;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) C[(group * 4 + i) * N + column] = sums[i];
}

// The outer product of four numbers of A and four of B, added to a square of registers.
__device__ void add_outer(float (&sums)[4][4], const float *a, const float *b) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) sums[i][j] += a[i] * b[j];
  }
}

// A thread has 4 x 4 elements, of a block of 64 threads.
extern "C" __global__ void gemm_square_of_registers(
    const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float a[WIDE][DEEP], b[DEEP][WIDE];
  int row = threadIdx.x / 8 * 4, column = threadIdx.x % 8 * 4;
  A += blockIdx.y * WIDE * K;
  B += blockIdx.x * WIDE;
  C += blockIdx.y * WIDE * N + blockIdx.x * WIDE;
  float sums[4][4] = {};
  for (int start = 0; start < K; start += DEEP) {
    for (int i = threadIdx.x; i < WIDE * DEEP; i += blockDim.x) {
      a[i / DEEP][i % DEEP] = A[i / DEEP * K + start + i % DEEP];
      b[i / WIDE][i % WIDE] = B[(start + i / WIDE) * N + i % WIDE];
    }
    __syncthreads();
    for (int k = 0; k < DEEP; k++) {
      float left[4], right[4];
      for (int i = 0; i < 4; i++) left[i] = a[row + i][k], right[i] = b[k][column + i];
      add_outer(sums, left, right);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) C[(row + i) * N + column + j] = sums[i][j];
  }
}

// What a thread of 64 loads for one step: four numbers of A and four of B, each by one instruction.
struct Step {
  float4 a, b;
};

__device__ Step load(const float *A, const float *B, int start, int N, int K) {
  int t = threadIdx.x;
  return {
      *reinterpret_cast<const float4 *>(&A[t / 2 * K + start + t % 2 * 4]),
      *reinterpret_cast<const float4 *>(&B[(start + t / 8) * N + t % 8 * 4])};
}

// A's numbers are stored by columns, so that a thread reads its four as a float4, too.
__device__ void store(const Step &step, float (*a)[WIDE], float (*b)[WIDE]) {
  int t = threadIdx.x, k = t % 2 * 4;
  a[k][t / 2] = step.a.x, a[k + 1][t / 2] = step.a.y;
  a[k + 2][t / 2] = step.a.z, a[k + 3][t / 2] = step.a.w;
  *reinterpret_cast<float4 *>(&b[t / 8][t % 8 * 4]) = step.b;
}

__device__ void multiply(
    float (&sums)[4][4], const float (*a)[WIDE], const float (*b)[WIDE], int row, int column) {
  for (int k = 0; k < DEEP; k++) {
    float4 left = *reinterpret_cast<const float4 *>(&a[k][row]);
    float4 right = *reinterpret_cast<const float4 *>(&b[k][column]);
    float l[4] = {left.x, left.y, left.z, left.w}, r[4] = {right.x, right.y, right.z, right.w};
    add_outer(sums, l, r);
  }
}

__device__ void write(float *C, int N, const float (&sums)[4][4]) {
  for (int i = 0; i < 4; i++) {
    *reinterpret_cast<float4 *>(&C[i * N]) =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  }
}

extern "C" __global__ void gemm_float4(
    const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float a[DEEP][WIDE];
  __shared__ __align__(16) float b[DEEP][WIDE];
  int row = threadIdx.x / 8 * 4, column = threadIdx.x % 8 * 4;
  A += blockIdx.y * WIDE * K;
  B += blockIdx.x * WIDE;
  float sums[4][4] = {};
  for (int start = 0; start < K; start += DEEP) {
    store(load(A, B, start, N, K), a, b);
    __syncthreads();
    multiply(sums, a, b, row, column);
    __syncthreads();
  }
  write(C + (blockIdx.y * WIDE + row) * N + blockIdx.x * WIDE + column, N, sums);
}

// Two tiles in turn: while one is multiplied the next is loaded, and one barrier a step is enough.
extern "C" __global__ void gemm_double_buffered(
    const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float a[2][DEEP][WIDE];
  __shared__ __align__(16) float b[2][DEEP][WIDE];
  int row = threadIdx.x / 8 * 4, column = threadIdx.x % 8 * 4, now = 0;
  A += blockIdx.y * WIDE * K;
  B += blockIdx.x * WIDE;
  float sums[4][4] = {};
  store(load(A, B, 0, N, K), a[0], b[0]);
  __syncthreads();
  for (int start = DEEP; start <= K; start += DEEP) {
    Step next;
    if (start < K) next = load(A, B, start, N, K);
    multiply(sums, a[now], b[now], row, column);
    now ^= 1;
    if (start < K) store(next, a[now], b[now]);
    __syncthreads();
  }
  write(C + (blockIdx.y * WIDE + row) * N + blockIdx.x * WIDE + column, N, sums);
}

// Each of two warps has a half of the block's rows, and a thread 4 x 4 of the warp's 16 x 32.
extern "C" __global__ void gemm_warp_tiles(
    const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float a[DEEP][WIDE];
  __shared__ __align__(16) float b[DEEP][WIDE];
  int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  int row = warp * 16 + lane % 4 * 4, column = lane / 4 * 4;
  A += blockIdx.y * WIDE * K;
  B += blockIdx.x * WIDE;
  float sums[4][4] = {};
  for (int start = 0; start < K; start += DEEP) {
    store(load(A, B, start, N, K), a, b);
    __syncthreads();
    multiply(sums, a, b, row, column);
    __syncthreads();
  }
  write(C + (blockIdx.y * WIDE + row) * N + blockIdx.x * WIDE + column, N, sums);
}

// Numbers of half precision, two in a load and a product; sums in float.
extern "C" __global__ void gemm_half(
    const __half *A, const __half *B, float *C, int M, int N, int K) {
  __shared__ __half2 a[TILE][TILE], b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int start = 0; start < K; start += 2 * TILE) {
    a[y][x] = *reinterpret_cast<const __half2 *>(&A[row * K + start + 2 * x]);
    int k = start + 2 * y;
    b[y][x] = __halves2half2(B[k * N + column], B[(k + 1) * N + column]);
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      float2 left = __half22float2(a[y][k]), right = __half22float2(b[k][x]);
      sum += left.x * right.x + left.y * right.y;
    }
    __syncthreads();
  }
  C[row * N + column] = sum;
}
