// A search with a queue in a ring: a vertex that was visited must not be appended again.
extern "C" __global__ void vertex_queued_again(const int *left, const int *right, int *queue,
                                               int *visits) {
  int head = 0, tail = 1;
  queue[0] = 0;
  visits[0] = 1;
  while (head != tail) {  // BUG
    int u = queue[head++ % 16];
    for (int side = 0; side < 2; side++) {  // BUG
      int v = side == 0 ? left[u] : right[u];
#ifndef BUGGY
      if (visits[v] > 0) continue;
#endif
      visits[v]++;
      queue[tail++ % 16] = v;
    }
  }
}
