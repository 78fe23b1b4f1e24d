#include "os.py"
extern "C" __global__ void include_of_python(int *a) { a[0] = 42; }
