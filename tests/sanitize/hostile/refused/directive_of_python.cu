#python import os
extern "C" __global__ void directive_of_python(int *a) { a[0] = 42; }
