// Where the edges of a vertex are: what kernels ask in the same words, however a graph is
// stored.
//
// Here it is in compressed sparse rows. A host that compiles with -DPAGE_WORDS=… has the
// edges on pages, as dynamic/pages.cuh describes them; `offsets` then points to the records
// of vertices and `neighbours` to page 0.

#pragma once

#include "csr.cuh"

#ifdef PAGE_WORDS
#include "dynamic/page_edges.cuh"
#else

// Two numbers say where the edges of vertex v are: begin and end.
#define EDGES_BEGIN(offsets, v) offsets[v]
#define EDGES_END(offsets, v) offsets[v + 1]

// How many positions there are, over which threads are spread; and how many edges.
#define EDGES_LENGTH(begin, end) end - begin
#define EDGES_DEGREE(begin, end) end - begin

// The head of a loop of one thread over the edges of v, and the vertex that one leads to.
#define EACH_EDGE(e, offsets, neighbours, v, end) offset_t e = offsets[v]; e < end; e++
#define NEIGHBOUR(neighbours, e) neighbours[e]

#endif
