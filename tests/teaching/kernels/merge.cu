// Merge of two sorted arrays: every thread finds by bisection where its segment of the
// result begins in both inputs, and merges that segment alone.

#define SEGMENT 8

// How many of the first `count` elements of the result come from a. Bisection along the
// diagonal of the merge matrix on which a's index and b's index add up to `count`.
__device__ int taken_from_a(const int *a, int a_size, const int *b, int b_size, int count) {
  int low = max(0, count - b_size);
  int high = min(count, a_size);
  while (low < high) {
    int middle = (low + high) / 2;
    // Equal elements of a come before those of b.
    if (a[middle] <= b[count - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

extern "C" __global__ void merge(const int *a, int a_size, const int *b, int b_size, int *out) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int first = thread * SEGMENT;
  int end = min(first + SEGMENT, a_size + b_size);
  if (first >= end) return;
  int i = taken_from_a(a, a_size, b, b_size, first);
  int j = first - i;
  for (int k = first; k < end; k++) {
    bool from_a = j >= b_size || (i < a_size && a[i] <= b[j]);
    out[k] = from_a ? a[i++] : b[j++];
  }
}
