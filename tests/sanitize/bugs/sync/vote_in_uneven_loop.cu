// Looks for a key in a list of n elements, 32 at a time; n is no multiple of 32.
extern "C" __global__ void vote_in_uneven_loop(const int *in, int *found, int key, int n) {
  int lane = threadIdx.x, hits = 0;
#ifdef BUGGY
  for (int i = lane; i < n; i += 32) {
    hits += __popc(__ballot_sync(0xffffffff, in[i] == key));  // BUG
  }
#else
  for (int first = 0; first < n; first += 32) {
    int i = first + lane;
    hits += __popc(__ballot_sync(0xffffffff, i < n && in[i] == key));
  }
#endif
  found[lane] = hits;
}
