extern "C" __global__ void in_the_condition(int *a) {
  int i = 0;
  while (i++, i = i & 7, true) {
  }
}
