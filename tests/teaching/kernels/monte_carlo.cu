// Random numbers made by each thread for itself, in integers: every machine gets the same.

// Marsaglia's xorshift; the state is never 0.
__device__ unsigned xorshift(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// A linear congruential generator of 64 bits; its high bits are the good ones.
__device__ unsigned lcg(unsigned long long &state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33);
}

// Points of a square of 2^15 x 2^15 that lie in the quarter circle: about pi / 4 of them.
// states: one a thread, not 0, left where they end; total: starts at 0.
extern "C" __global__ void count_in_circle(unsigned *states, unsigned long long *total,
                                           int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = states[i];
  unsigned inside = 0;
  for (int k = 0; k < samples; k++) {
    unsigned x = xorshift(state) >> 17;
    unsigned y = xorshift(state) >> 17;
    // Both squares are below 2^30, so their sum cannot overflow.
    inside += x * x + y * y < (1u << 30);
  }
  states[i] = state;
  atomicAdd(total, (unsigned long long)inside);
}

// Random walks on a ring of `size` places, all from place 0; visits counts where they end.
extern "C" __global__ void walk(const unsigned long long *seeds, unsigned *visits, int size,
                                int steps) {
  unsigned long long state = seeds[blockIdx.x * blockDim.x + threadIdx.x];
  int place = 0;
  for (int k = 0; k < steps; k++) {
    place += lcg(state) % 2 == 0 ? 1 : size - 1;
    place %= size;
  }
  atomicAdd(&visits[place], 1u);
}
