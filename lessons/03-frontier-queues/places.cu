// Lanes that want to get into a queue take places at its tail.
//
// wanted[i]: whether lane i has found a vertex. queue[i]: the queue that it goes into.
// tails:     how many entries each queue has. place[i]: where lane i may write.

// All go to one tail, and the compiler sees that.
extern "C" __global__ void parameter(const int *wanted, const int *queue, int *tails, int *place) {
  int i = threadIdx.x;
  if (wanted[i]) place[i] = atomicAdd(tails, 1);
}

// All go to one tail, too, but which one is a value that the compiler does not know.
extern "C" __global__ void chosen(const int *wanted, const int *queue, int *tails, int *place) {
  int i = threadIdx.x;
  if (wanted[i]) place[i] = atomicAdd(&tails[queue[i]], 1);
}
