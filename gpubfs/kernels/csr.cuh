// The graph in compressed sparse row form, as every kernel gets it.
//
// The neighbours of vertex v are neighbours[offsets[v]] up to, not including,
// neighbours[offsets[v + 1]]. Vertex ids are 32-bit. Positions in `neighbours`
// are 32-bit too unless the host says otherwise with -DOFFSET="long long",
// which it does for graphs of 2^31 edges or more.

#pragma once

#ifndef OFFSET
#define OFFSET int
#endif

typedef OFFSET offset_t;

// What kernels ask of a vertex's edges. A host that compiles with -DPAGE_WORDS=… has them on
// pages, as dynamic/pages.cuh describes them, and `offsets` points to records of vertices.
#ifdef PAGE_WORDS
#include "dynamic/page_edges.cuh"
#else

// Two numbers say where the edges of vertex v are: begin and end.
#define EDGES_BEGIN(offsets, v) offsets[v]
#define EDGES_END(offsets, v) offsets[v + 1]

// How many positions there are, over which threads are spread; and how many edges.
#define EDGES_LENGTH(begin, end) end - begin
#define EDGES_DEGREE(begin, end) end - begin

#endif
