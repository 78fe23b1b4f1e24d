// Device functions that call themselves. Every thread has a stack of its own, a kilobyte
// unless the host asks for more, so the recursion here is not deep.

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void fibonacci_numbers(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(in[i]);
}

// Hofstadter's pair of sequences, each defined by the other.
__device__ int male(int n);

__device__ int female(int n) {
  return n == 0 ? 1 : n - male(female(n - 1));
}

__device__ int male(int n) {
  return n == 0 ? 0 : n - female(male(n - 1));
}

extern "C" __global__ void hofstadter(const int *in, int *females, int *males, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  females[i] = female(in[i]);
  males[i] = male(in[i]);
}

// Runge's function, steep near 0 and flat elsewhere.
__device__ float runge(float x) {
  return 1.0f / (1.0f + 25.0f * x * x);
}

__device__ float simpson(float a, float b) {
  return (b - a) / 6.0f * (runge(a) + 4.0f * runge(0.5f * (a + b)) + runge(b));
}

// Halves the interval where the halves do not confirm the whole: lanes with a steep piece
// go deeper than their neighbours.
__device__ float integral(float a, float b, float whole, float tolerance, int depth) {
  float middle = 0.5f * (a + b);
  float left = simpson(a, middle);
  float right = simpson(middle, b);
  float error = left + right - whole;
  // Richardson: what the halves are wrong by is a fifteenth of the difference.
  if (depth == 0 || fabsf(error) <= 15.0f * tolerance) return left + right + error / 15.0f;
  return integral(a, middle, left, 0.5f * tolerance, depth - 1) +
         integral(middle, b, right, 0.5f * tolerance, depth - 1);
}

extern "C" __global__ void integrate(const float *from, const float *to, float *out, int n,
                                     float tolerance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = integral(from[i], to[i], simpson(from[i], to[i]), tolerance, 6);
}
