extern "C" __global__ void nothing_at_all(int *a) {
  while (1);
}
