extern "C" __global__ void generated_name(int *a) { a[0] = lanes_0; }
