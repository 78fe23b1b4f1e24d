// host-loop: a launch a level, and a read that tells the host whether there is another.
//
// The kernel knows one level only. What is left to do between two levels, the host
// does: it reads how many vertices were found, exchanges the queues, and launches.

#include "level_expansion.cuh"

// level[v]:   distance from the source, -1 where not visited yet.
// frontier:   queue of the vertices at distance next_depth - 1, WIDTH lanes for each.
// next:       queue that receives the vertices at distance next_depth, in any order.
// next_size:  their number, 0 before.
extern "C" __global__ void host_loop(const offset_t *offsets, const int *neighbours,
                                     int *level, int *frontier, int frontier_size, int *next,
                                     int *next_size, int next_depth) {
  expand_queue(offsets, neighbours, level, frontier, frontier_size, next, next_size,
               next_depth);
}
