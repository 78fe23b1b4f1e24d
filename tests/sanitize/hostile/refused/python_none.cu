extern "C" __global__ void python_none(int *a) { a[0] = a == None; }
