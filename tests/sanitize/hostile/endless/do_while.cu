extern "C" __global__ void do_while(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    a[i] = 1 - a[i];
  } while (a[i] == 0 || a[i] == 1);
}
