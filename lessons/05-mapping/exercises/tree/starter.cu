// How long does a warp take, if each of its threads walks the whole adjacency
// of one frontier vertex? As many turns as its largest vertex has neighbours,
// and lanes that have fewer stand idle for the rest.
//
// Thread t of the grid has vertex frontier[t]; threads behind the end have no
// vertex, and stand idle for all turns. Blocks are whole warps.
//
// Lanes of a warp hand over their registers by shuffles: no shared memory, and
// no atomics. Only the results are stored.

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Your code here.
}
