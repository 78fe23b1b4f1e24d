// Records of one byte and one int in a byte array, packed or padded to eight bytes.
extern "C" __global__ void misaligned_record(const unsigned char *records, int *out) {
#ifdef BUGGY
  const int *value = (const int *)(records + threadIdx.x * 5 + 1);
#else
  const int *value = (const int *)(records + threadIdx.x * 8 + 4);
#endif
  out[threadIdx.x] = *value;  // BUG
}
