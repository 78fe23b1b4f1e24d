// Small kernels to look at, one idea each.

// One thread for each element.
extern "C" __global__ void add_one(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] + 1;
}

// There may be more threads than the n elements.
extern "C" __global__ void add_guarded(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] + 1;
}

// There may be fewer: each thread takes an element, and then the one that lies
// as many places further on as the grid has threads.
extern "C" __global__ void add_all(int *a, int n) {
  int all = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
    a[i] = a[i] + 1;
  }
}

// A matrix, whose rows lie one behind the other. An element becomes 100 times
// its row, and its column.
extern "C" __global__ void number(int *a, int rows, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) a[y * columns + x] = 100 * y + x;
}

// Each block takes its first element away from all of its elements.
extern "C" __global__ void lower(int *a) {
  __shared__ int first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) first = a[i];
  __syncthreads();
  a[i] = a[i] - first;
}

// All threads count in one place: first in a way that loses some, then right.
extern "C" __global__ void count_lost(int *count) { *count = *count + 1; }

extern "C" __global__ void count_all(int *count) { atomicAdd(count, 1); }

// Each thread but the first one takes what its neighbour has.
extern "C" __global__ void take(int *a) {
  int i = threadIdx.x;
  if (i > 0) a[i] = a[i - 1];
}

// The elements that the threads of one warp read lie `apart` places apart.
extern "C" __global__ void every(const int *in, int *out, int apart) {
  out[threadIdx.x] = in[threadIdx.x * apart];
}
