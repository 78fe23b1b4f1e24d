__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion_that_doubles(int *a) { a[threadIdx.x] = fibonacci(60); }
