// best: each level by as many threads as it is worth.
//
// Two kernels search the same graph by turns: a block, or the blocks of a cluster, while
// levels have few vertices, and the whole grid while they have more. Each goes from level to
// level by itself, leaves when a level is no longer its own, and says in `left` where the
// search is. A third one, with a byte map, searches a graph alone, and has its own arrays.

// What the first two get:
// level[v]:  distance from the source, -1 where not visited yet.
// visited:   a bit for each vertex; the source's is set before.
// even, odd: queues by turns: candidates of a level, or vertices that a cluster had no room for.
// left:      where the search is; 0 before.
// ways[d]:   how level d was expanded, for the host.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#include "best_bytemap.cuh"
#include "best_cluster.cuh"
#include "best_grid.cuh"
