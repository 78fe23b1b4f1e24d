// Appends the even numbers to a queue; what finds no place is only counted.
extern "C" __global__ void queue_overflow(const int *in, int *queue, int *tail, int capacity) {
  int value = in[threadIdx.x];
  if (value % 2 != 0) return;
  int at = atomicAdd(tail, 1);
#ifdef BUGGY
  queue[at] = 7;  // BUG
#else
  if (at < capacity) queue[at] = 7;
#endif
}
