// The first neighbours of each vertex in one place, which is one access of memory.
//
// Offsets say where a vertex's neighbours lie, so that whoever expands it waits for memory
// twice; for its row, once. NOBODY fills a row up. If a vertex has more neighbours than
// there are places, the last place is a link to the others.

#pragma once

#include "csr.cuh"

// Neighbours of a row: a multiple of 4.
#ifndef ROW
#define ROW 4
#endif

#define NOBODY -1

// A position in `neighbours` as an int below NOBODY, and back. It must be below 2^31 - 1.
#define AS_LINK(position) (-2 - (int)(position))

// One thread for each place.
extern "C" __global__ void best_rows(const offset_t *offsets, const int *neighbours, int vertices,
                                     int *rows) {
  size_t threads = (size_t)gridDim.x * blockDim.x;
  #pragma unroll 1
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)vertices * ROW;
       i += threads) {
    int v = (int)(i / ROW);
    int place = (int)(i % ROW);
    offset_t begin = offsets[v];
    offset_t degree = offsets[v + 1] - begin;
    int neighbour = place < degree ? neighbours[begin + place] : NOBODY;
    rows[i] = place == ROW - 1 && degree > ROW ? AS_LINK(begin + place) : neighbour;
  }
}
