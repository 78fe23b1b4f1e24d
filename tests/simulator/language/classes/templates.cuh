// Templates of classes: constants, specialisations, members outside, deduction.
template <typename T, int N = 4>
struct Pack {
  static constexpr int size = N;
  using type = T;
  T payload[N];
  Pack() = default;
  __device__ explicit Pack(T value) {
    for (int i = 0; i < N; i++) payload[i] = value;
  }
  __device__ T &operator[](int i) { return payload[i]; }
  __device__ const T &operator[](int i) const { return payload[i]; }
  static __device__ Pack zeros() { Pack p; for (int i = 0; i < N; i++) p[i] = T(0); return p; }
  __device__ T sum() const;
  template <typename U> __device__ Pack<U, N> as() const {
    Pack<U, N> made;
    for (int i = 0; i < N; i++) made[i] = U(payload[i]);
    return made;
  }
};

template <typename T, int N>
__device__ T Pack<T, N>::sum() const {
  T total = 0;
  for (int i = 0; i < size; i++) total += payload[i];
  return total;
}

template <typename T> struct Name { static constexpr int value = 1; };
template <> struct Name<int> { static constexpr int value = 2; };
template <typename T> struct Name<T *> { static constexpr int value = 10 + Name<T>::value; };
template <typename T, int N> struct Name<Pack<T, N>> { static constexpr int value = 100 * N; };

template <bool Test, typename A, typename B> struct Choose { using type = A; };
template <typename A, typename B> struct Choose<false, A, B> { using type = B; };

template <int N> struct Factorial { static constexpr int value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr int value = 1; };

template <typename T> using Wide = Pack<T, 8>;
template <typename T> struct Sum { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Largest { __device__ T operator()(T a, T b) const { return a > b ? a : b; } };


template <typename T, int N, typename F>
__device__ T fold(const Pack<T, N> &p, F f) {
  T result = p[0];
  for (int i = 1; i < N; i++) result = f(result, p[i]);
  return result;
}

template <typename T> __device__ int rank(T) { return 1; }
template <typename T> __device__ int rank(T *) { return 2; }
template <typename T, int N> __device__ int rank(Pack<T, N>) { return 3; }
__device__ int rank(double) { return 4; }

template <typename T> __device__ T unit() { return T(1); }
template <> __device__ float unit<float>() { return 1.5f; }

template <typename Base> struct Loud : Base {
  __device__ int loud() const { return Base::volume() * 2 + this->level; }
};
struct Quiet {
  int level;
  __device__ int volume() const { return level + 1; }
};

__device__ double run(int i) {
  Pack<float> p(i), q = Pack<float>::zeros();
  q[2] = 3.5f;
  p[1] = 2;
  Wide<int> w(2);
  w[i % 8] = i;
  typename Choose<sizeof(int) == 4, int, float>::type chosen = 2.9;
  Choose<(sizeof(int) > 4), int, float>::type other = 2.5;
  Loud<Quiet> loud;
  loud.level = i;
  auto ints = p.as<int>();
  return p.sum() + q.sum() * 2 + w.sum() + Pack<int, 3>::size + Name<float>::value +
         Name<int>::value * 3 + Name<int **>::value + Name<Pack<int, 2>>::value + chosen + other +
         Factorial<5>::value + fold(p, Sum<float>()) + fold(w, Largest<int>{}) + rank(i) +
         rank(&i) * 10 + rank(q) * 100 + rank(1.0) * 1000 + unit<int>() + unit<float>() +
         loud.loud() + ints.sum() + sizeof(Pack<short, 6>);
}
