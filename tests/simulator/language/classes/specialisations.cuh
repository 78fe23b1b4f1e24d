// Of several templates and specialisations the most special one is meant, however long it is written.
template <typename A, typename B> struct Pair { static constexpr int v = 1; };
template <typename LongNameOfAType> struct Pair<LongNameOfAType, LongNameOfAType> {
  static constexpr int v = 2;
};
template <typename A> struct Pair<A *, A *> { static constexpr int v = 3; };
template <typename T> struct Kind { static constexpr int v = 1; };
template <typename LongNameOfAType> struct Kind<LongNameOfAType *> {
  static constexpr int v = 2;
};
template <typename T> struct Kind<const T *> { static constexpr int v = 3; };
template <typename T> struct Kind<T **> { static constexpr int v = 4; };
template <typename T, int N> struct Sized { static constexpr int v = 1; };
template <typename LongNameOfAType> struct Sized<LongNameOfAType, 2> {
  static constexpr int v = 2;
};
template <> struct Sized<int, 2> { static constexpr int v = 3; };

template <typename T> __device__ int f(T *) { return 6; }
template <typename T> __device__ int f(const T *) { return 7; }
template <typename T, int N> __device__ int g(T (&)[N]) { return N; }
template <typename T> __device__ int g(const T &) { return 8; }
template <typename T> __device__ int h(T) { return 1; }
template <typename T> __device__ int h(T *) { return 2; }
template <> __device__ int h(int *) { return 3; }

__device__ double run(int i) {
  int a[3] = {1, 2, 3};
  const int b[5] = {1};
  const int *c = b;
  float d = 0;
  return i + Pair<int, float>::v + 10 * Pair<int, int>::v + 100 * Pair<int *, int *>::v +
         1000 * Kind<int *>::v + 1e4 * Kind<const int *>::v + 1e5 * Kind<int **>::v +
         1e6 * Sized<int, 2>::v + 1e7 * Sized<float, 2>::v + 1e8 * f(a) + 1e9 * f(c) + 1e10 * g(a) +
         1e11 * g(b) + 1e12 * g(i) + 1e13 * h(&i) + 1e14 * h(&d) + 1e15 * h(i);
}
