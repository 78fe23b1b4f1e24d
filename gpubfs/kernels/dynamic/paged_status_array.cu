// status-array over pages: one thread per vertex and level, and no queue.
//
// As status_array.cu, but that a thread goes from page to page along the links, where in
// compressed rows the edges of a vertex lie behind each other.

// Words of a page, which the host says with -DPAGE_WORDS=…: pages have 64 or 128 bytes.
#ifndef PAGE_WORDS
#define PAGE_WORDS 32
#endif

#include "csr.cuh"

// records:  of the vertices, where csr.cuh has offsets; pages: where it has neighbours.
// The others are as in status_array.cu.
extern "C" __global__ void status_array(const offset_t *records, const int *pages, int *level,
                                        int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  if (level[v] != depth) return;

  bool discovered = false;
  offset_t end = EDGES_END(records, v);
  PageEdge edge = {EDGES_BEGIN(records, v), 0};
  #pragma unroll 1
  while (edge.position < end) {
    int w = vertex_of(pages, edge);
    int status = level[w];
    // As there, a vertex that was found in this same launch counts as not visited.
    if (status < 0 || status > depth) {
      level[w] = depth + 1;
      discovered = true;
    }
    edge = next_edge(pages, edge, end);
  }
  if (discovered) *found = 1;
}
