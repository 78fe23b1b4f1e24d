// Which lanes have an odd number: all 32 call.
extern "C" __global__ void caller_not_in_mask(const int *in, unsigned *out) {
#ifdef BUGGY
  unsigned odd = __ballot_sync(0x0000ffff, in[threadIdx.x] & 1);  // BUG
#else
  unsigned odd = __ballot_sync(0xffffffff, in[threadIdx.x] & 1);
#endif
  out[threadIdx.x] = odd;
}
