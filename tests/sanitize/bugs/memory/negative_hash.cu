// Hashes keys, negative ones too: in C the remainder has the sign of the dividend.
extern "C" __global__ void negative_hash(const int *keys, int *buckets, int size) {
  int key = keys[threadIdx.x];
#ifdef BUGGY
  int bucket = key % size;
#else
  int bucket = (unsigned)key % (unsigned)size;
#endif
  atomicAdd(&buckets[bucket], 1);  // BUG
}
