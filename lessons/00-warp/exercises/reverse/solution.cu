// Each block turns its part of `in` around: its first element comes last.
//
// A thread puts its element into shared memory, and takes the one that stands
// opposite. One line is missing.

extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[first + threadIdx.x];
  // BEGIN SOLUTION
  //|
  __syncthreads();
  // END SOLUTION
  out[first + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
