import os;
extern "C" __global__ void python_import(int *a) { a[0] = 42; }
