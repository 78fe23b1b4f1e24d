// A matrix and its mirror image: the first column of `in` is the last one of
// `out`. Rows stay where they are.
//
// The grid has two dimensions: x for columns, y for rows. There may be more
// threads than elements in both.

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  // Your code here: first this thread's column x and its row y.
}
