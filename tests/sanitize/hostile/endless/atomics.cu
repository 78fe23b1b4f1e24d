extern "C" __global__ void atomics(int *a) {
  while (true) atomicAdd(&a[0], 1);
}
