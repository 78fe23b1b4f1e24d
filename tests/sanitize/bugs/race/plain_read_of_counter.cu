// Stops appending when the queue is full; a plain load may see any old tail.
extern "C" __global__ void plain_read_of_counter(int *queue, int *tail, int capacity) {
#ifdef BUGGY
  if (*tail >= capacity) return;  // BUG
#endif
  int at = atomicAdd(tail, 1);  // BUG
  if (at < capacity) queue[at] = 9;
}
