// right: a template, macros, pointers, and a barrier that counts

#define MINE threadIdx.x
#define ALL blockDim.x

template <typename T>
__device__ void turn(const T *in, T *out, T *tile) {
  tile[ALL - 1 - MINE] = in[MINE];
  __syncthreads_count(1);
  out[MINE] = tile[MINE];
}

extern "C" __global__ void reverse(const int *__restrict__ in, int *__restrict__ out) {
  extern __shared__ int tile[];
  turn<int>(in + blockIdx.x * ALL, out + blockIdx.x * ALL, tile);
}
