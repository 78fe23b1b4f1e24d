// The packed memory array of GPMA (Sha et al. 2017): sorted edges with gaps between them.
//
// keys[p]:        row << 32 | column of an edge, or the sentinel that ends a row, or
//                 NO_KEY where position p is a gap. Keys rise from left to right.
// values[p]:      LIVE, or DELETED where an edge was deleted; of a gap nothing.
// attributes:     what edges have besides their ends, COLUMNS words each: word c of the
//                 edge at position p is attributes[c * positions + p].
// row_offsets[r]: where row r begins: at the sentinel of the row before it, and row 0 at
//                 0. The row ends before row_offsets[r + 1], which is its own sentinel.
//
// An array has a power of two of positions, 2^31 at most, and so have its leaves, the
// shortest stretches that are filled anew. A node of height h is 2^h leaves that belong
// together.

#pragma once

#include "edge_mode.cuh"

typedef unsigned long long edge_key;

#define NO_KEY 0xffffffffffffffffull
#define LIVE 1u
#define DELETED 0xffffffffu

// Words of an edge besides its ends.
#define COLUMNS (EDGE_WORDS - 1)

// The column of the sentinel, behind all columns of its row.
#define ROW_END 0xffffffffu

__device__ __forceinline__ edge_key key_of(int row, unsigned column) {
  return (edge_key)row << 32 | column;
}

__device__ __forceinline__ int row_of(edge_key key) { return (int)(key >> 32); }

__device__ __forceinline__ unsigned column_of(edge_key key) { return (unsigned)key; }

// Whether there is an edge, or a sentinel, at a position.
__device__ __forceinline__ bool is_live(const edge_key *keys, const unsigned *values,
                                        long long position) {
  return keys[position] != NO_KEY && values[position] != DELETED;
}

// Copies the words of an edge from place i of one table to place k of another.
// from_rows, to_rows: how many edges the tables have room for.
__device__ __forceinline__ void copy_columns(const int *from, long long from_rows, long long i,
                                             int *to, long long to_rows, long long k) {
  #pragma unroll
  for (int c = 0; c < COLUMNS; c++) to[c * to_rows + k] = from[c * from_rows + i];
}
