// out[i] is in[i], and 0 where in[i] is negative, for i from 0 to n - 1.
//
// There may be far more elements than threads: then each thread has several,
// and all threads have equally many, or one more than others.

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  // Your code here: a loop over the elements of this thread.
}
