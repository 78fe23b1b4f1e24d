// The kernels of the questions. `a` has an element for each thread of the grid,
// and holds 0, 1, 2, … at the start. Warps have 32 lanes.

__device__ int own() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Every other thread has something to do.
extern "C" __global__ void parity(int *a) {
  int i = own();
  if (i % 2 == 0) a[i] = 7;
}

// Every other group of 32 threads has something to do.
extern "C" __global__ void halves(int *a) {
  int i = own();
  if (i / 32 % 2 == 0) a[i] = 7;
}

// The threads up to an edge have something to do.
extern "C" __global__ void edge(int *a) {
  int i = own();
  if (i < 80) a[i] = 7;
}

// Threads have 0 to 7 turns.
extern "C" __global__ void turns(int *a) {
  int i = own();
  int sum = 0;
  for (int turn = 0; turn < i % 8; turn++) sum += turn;
  a[i] = sum;
}

// All threads have something to do, and no two things at once. Four statements
// stand here: the definition, the if, and an assignment for each way.
extern "C" __global__ void either(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 4 == 3)
    a[i] = 2 * a[i];
  else
    a[i] = a[i] + 1;
}

// Half of the threads add what the other half has, then half of that half, …
extern "C" __global__ void meet(int *a) {
  int i = own();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) a[i] += a[i + half];
    __syncthreads();
  }
}
