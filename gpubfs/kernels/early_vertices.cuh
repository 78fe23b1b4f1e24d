// The vertices that an asynchronous bottom-up pass has found early, for the way back.
//
// They have a level that the next top-down level would claim for them, so that nobody
// claims them any more, and they are in no queue but that of the pass. This kernel runs
// before the level is expanded: as yet, who has that level was found early.

#pragma once

// One thread per vertex of a bottom-up queue.
// queue:      vertices that were not visited before a pass.
// next_depth: the distance that the pass gave to those that it found early.
// next, next_size: a queue, to which these are appended.
extern "C" __global__ void enqueue_early(const int *level, const int *queue, int queue_size,
                                         int next_depth, int *next, int *next_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queue_size) return;
  int v = queue[i];
  if (level[v] == next_depth) next[atomicAdd(next_size, 1)] = v;
}
