extern "C" __global__ void python_attribute(int *a) { a[0] = a.__class__; }
