#pragma unroll __import__('os').system('touch canary')
extern "C" __global__ void pragma_with_python(int *a) { a[0] = 42; }
