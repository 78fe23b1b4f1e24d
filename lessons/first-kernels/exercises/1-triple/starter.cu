// Three times each element: out[i] = 3 * in[i].
//
// There are as many threads as elements, in one block or in several. Each
// thread has one element.

extern "C" __global__ void triple(const int *in, int *out) {
  // Your code here: first the number of this thread's element.
}
