extern "C" __global__ void only_continue(int *a) {
  for (;;) continue;
}
