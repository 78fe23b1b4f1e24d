// Relaxes the edges of a path until nothing changes any more; equal is no change.
extern "C" __global__ void changed_every_time(int *distance, int *rounds) {
  int v = threadIdx.x, again = 1;
  while (again) {  // BUG
    int candidate = v > 0 ? distance[v - 1] + 1 : 0;
    __syncthreads();
#ifdef BUGGY
    int better = candidate <= distance[v];
#else
    int better = candidate < distance[v];
#endif
    if (better) distance[v] = candidate;
    rounds[v]++;
    again = __syncthreads_or(better);
  }
}
