extern "C" __global__ void python_name(int *a) { a[0] = __builtins__; }
