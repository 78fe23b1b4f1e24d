// Walks a circular list: it has no end, but comes back to its head.
extern "C" __global__ void list_with_a_cycle(const int *next, int *visits) {
  int node = 0;
  do {  // BUG
    visits[node]++;
    node = next[node];
#ifdef BUGGY
  } while (node >= 0);  // BUG
#else
  } while (node != 0);
#endif
}
