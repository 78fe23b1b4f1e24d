// A byte never reaches 256.
extern "C" __global__ void byte_counter(int *table) {
#ifdef BUGGY
  for (unsigned char i = 0; i < 256; i++) {  // BUG
#else
  for (int i = 0; i < 256; i++) {
#endif
    table[i] += i;
  }
}
