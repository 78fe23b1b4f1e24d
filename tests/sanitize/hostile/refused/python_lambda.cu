extern "C" __global__ void python_lambda(int *a) { a[0] = (lambda: 42)(); }
