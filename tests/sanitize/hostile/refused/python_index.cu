extern "C" __global__ void python_index(int *a) { a[0, "x"] = 42; }
