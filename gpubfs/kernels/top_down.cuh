// The kernels of top-down levels, of the scans that make queues, and of the way back
// from a bottom-up level, for kernel files with bottom-up passes of their own.

#pragma once

#include "early_vertices.cuh"
#include "no_queue.cu"
