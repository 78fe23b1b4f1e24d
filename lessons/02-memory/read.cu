// Each thread of one warp loads a word: the first of them word `first`, each further
// one the word that lies `apart` words behind its neighbour's.

extern "C" __global__ void read(const int *in, int *out, int first, int apart) {
  out[threadIdx.x] = in[first + threadIdx.x * apart];
}
