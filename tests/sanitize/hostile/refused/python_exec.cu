extern "C" __global__ void python_exec(int *a) { exec(a); }
