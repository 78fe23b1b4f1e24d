extern "C" __global__ void python_call(int *a) { __import__("os").system("touch canary"); }
