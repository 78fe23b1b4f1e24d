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
