// persistent: the whole search in one cooperative launch, with a grid barrier a level.
//
// As many blocks as run at the same time stay until the search is over. They wait for
// each other in memory, and no launch and no read comes between two levels.

#include "grid_levels.cuh"

// level[v]: distance from the source, -1 where not visited yet.
// frontier: queue that holds the source.
// next:     queue for the level after it.
// sizes[d]: how many vertices there are at distance d: 1, then 0 before. One more than
//           vertices.
// vertices: of the graph, and so the most that a level can have.
extern "C" __global__ void persistent(const offset_t *offsets, const int *neighbours,
                                      int *level, int *frontier, int *next, int *sizes,
                                      int vertices) {
  grid_levels(offsets, neighbours, level, frontier, next, sizes, 0, 0, vertices);
}
