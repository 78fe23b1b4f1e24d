// Quicksort by kernels that launch kernels: each splits its part of the array in two and
// leaves both halves to children. Compile with -dc.

#define SMALL 16
#define DEEPEST 16

__device__ void insertion_sort(int *data, int n) {
  for (int i = 1; i < n; i++) {
    int value = data[i];
    int at = i;
    for (; at > 0 && data[at - 1] > value; at--) data[at] = data[at - 1];
    data[at] = value;
  }
}

// Moves elements that are at most the pivot before those that are at least the pivot;
// first_right and last_left are where the halves begin and end.
__device__ void split(int *data, int n, int &last_left, int &first_right) {
  int pivot = data[n / 2];
  int left = 0;
  int right = n - 1;
  while (left <= right) {
    while (data[left] < pivot) left++;
    while (data[right] > pivot) right--;
    if (left <= right) {
      int swapped = data[left];
      data[left++] = data[right];
      data[right--] = swapped;
    }
  }
  last_left = right;
  first_right = left;
}

// One thread. Launches cost more than sorting a few elements, and unlucky pivots must not
// nest launches without end.
extern "C" __global__ void quicksort(int *data, int n, int depth) {
  if (n <= SMALL || depth == DEEPEST) {
    insertion_sort(data, n);
    return;
  }
  int last_left;
  int first_right;
  split(data, n, last_left, first_right);
  // The halves have nothing in common, so neither child has to wait for the other.
  if (last_left > 0) {
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, last_left + 1, depth + 1);
  }
  if (first_right < n - 1) {
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(data + first_right, n - first_right,
                                                    depth + 1);
  }
}
