// Supplementary queues: vertices with edges for much of the GPU, in bins by degree.
//
// The kernel that meets such a vertex in the frontier puts it into a bin instead of
// expanding it, and a kernel of its own follows for each bin. Bin i holds degrees
// from 2^(base + i) to below twice that, and gives each of its vertices as many
// threads as its lower bound, so that no thread has more than two edges; but the last
// bin holds all that are larger, with as many threads as fit.

#pragma once

#include "expansion.cuh"

struct Bins {
  int *vertices;  // bin i begins at i * capacity, which may be more than an int holds
  int *sizes;     // vertices of each bin; the host resets them to 0
  int capacity;   // of a bin
  int threshold;  // vertices with more edges than that go into bins
  int base;
  int last;  // the last bin
};

// Puts a vertex of many edges into its bin, and leaves no edges of it to the lane.
__device__ void defer(Bins bins, Adjacency *own) {
  offset_t degree = own->end - own->begin;
  if (degree > bins.threshold) {
    int power = 63 - __clzll(degree);  // 2^power is at most the degree
    int bin = min(power - bins.base, bins.last);
    int place = atomicAdd(&bins.sizes[bin], 1);
    bins.vertices[(long long)bin * bins.capacity + place] = own->vertex;
    own->end = own->begin;
  }
}

// Expands one bin, `threads` neighbouring threads for each of its vertices.
extern "C" __global__ void expand_bin(const offset_t *offsets, const int *neighbours,
                                      int *level, const int *bins, int capacity, int bin,
                                      int bin_size, int threads, int *next, int *next_size,
                                      int next_depth) {
  long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  int h = (int)(thread / threads);
  if (h >= bin_size) return;
  int u = bins[(long long)bin * capacity + h];
  offset_t first = offsets[u] + thread % threads;
  claim_range(neighbours, first, offsets[u + 1], threads, level, next, next_size, next_depth);
}
