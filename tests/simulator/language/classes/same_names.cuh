// Several types of one name, each with instances of its own: lambdas, structures in functions, inner ones.
template <typename F> __device__ int call(F f, int x) { return f(x); }
template <typename F> struct Kept {
  F f;
  __device__ int go(int x) { return f(x) + 1; }
};
template <typename F> __device__ Kept<F> keep(F f) { return {f}; }
template <typename T> struct Outer {
  struct Inner {
    T v;
    __device__ int f() const { return sizeof(T) + v; }
  };
};
template <typename Q> __device__ int of(Q q) { return q.f(); }
template <typename Q> struct Size { static constexpr int value = sizeof(Q); };
__device__ int sized(typename Outer<int>::Inner) { return 1; }
__device__ int sized(typename Outer<double>::Inner) { return 2; }
template <typename F> __device__ double made(F f) { return f(); }
template <typename T> __device__ double by_type(T x) {
  auto half = [x] { return x / 2; };
  return made(half) + made([=] { return x * 3; });
}
__device__ int one(int i) {
  struct Op { __device__ int operator()(int x) const { return x * 2; } };
  Kept<Op> kept;
  return call(Op(), i) + kept.go(2);
}
__device__ int other(int i) {
  struct Op { __device__ int operator()(int x) const { return x + 9; } };
  Kept<Op> kept;
  return call(Op(), i) + kept.go(2);
}
struct Acc {
  double s = 1;
  template <typename F> __device__ void apply(F f) { s = f(s); }
  template <typename T> __device__ T as() const { return T(s); }
};

__device__ double run(int i) {
  Outer<int>::Inner a{i};
  Outer<double>::Inner b{i * 2.0};
  Acc acc;
  acc.apply([i](double x) { return x * (i + 1); }); acc.apply([](auto x) { return x + 1; });
  return call([](int x) { return x * 2; }, i) + call([](int x) { return x + 7; }, i) * 100 +
         keep([](int x) { return x; }).go(1) + keep([](int x) { return x * 5; }).go(i) * 10000 +
         one(i) + other(i) * 1000.0 + of(a) + 100 * of(b) + Size<Outer<int>::Inner>::value * 1e6 +
         Size<Outer<double>::Inner>::value * 1e7 + sized(a) * 1e8 + sized(b) * 1e9 + by_type(i) +
         by_type(i * 0.5f) + acc.template as<float>() * 3;
}
