// wrong: gives up where the lock is taken
// loses: result
// says: kept[

// Each list keeps the `room` smallest of the numbers that are sent to it, each
// number once, in ascending order. Thread i sends value[i] to list which[i].
//
//   kept[room * l] on   what list l keeps; EMPTY, the largest int, where nothing is
//   lock[l]             1 while a thread changes list l; 0 before and after the launch
//
// `keep` and `try_lock` are right. `keep` asks for two things: only one thread at a
// time changes a list, and it sees what the one before it has written. Mend the
// kernel. Nobody is to wait for a list but those who send a number to it.

#define EMPTY 0x7fffffff

// Puts a number into its place, and moves larger ones by one; the largest drops out.
__device__ void keep(volatile int *list, int room, int number) {
  #pragma unroll 1
  for (int i = 0; i < room; i++) {
    int here = list[i];
    if (here == number) return;
    if (here > number) {
      list[i] = number;
      number = here;
    }
  }
}

// Whether this thread got the lock. Nothing behind it is read before that.
__device__ bool try_lock(int *lock) {
  bool locked = atomicExch(lock, 1) == 0;
  __threadfence();
  return locked;
}

extern "C" __global__ void keep_smallest(const int *which, const int *value, int n, int *lock,
                                         int *kept, int room) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int list = which[i];
    if (try_lock(&lock[list])) {
      keep(&kept[room * list], room, value[i]);
      __threadfence();
      atomicExch(&lock[list], 0);
    }
}
