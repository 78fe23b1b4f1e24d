// Friends, members and free functions of one name; functions that return their object.
struct A {
  int x;
  friend __device__ int f(const A &a, int) { return a.x; }
  friend __device__ A operator+(const A &a, const A &b) { return {a.x + b.x}; }
  __device__ A operator-(const A &o) const { return {x - o.x}; }
  friend __device__ A operator*(A a, int k) { return {a.x * k}; }
};
__device__ int f(const A &a, double) { return a.x * 100; }
__device__ A operator+(const A &a, int k) { return {a.x + 1000 * k}; }
__device__ A operator-(const A &a, float k) { return {int(a.x - 7 * k)}; }
__device__ A operator*(int k, A a) { return {a.x * k * 3}; }
struct B : A {};
template <typename T> struct V {
  T x;
  friend __device__ V operator+(V a, V b) { return {a.x + b.x}; }
  friend __device__ T dot(V a, V b) { return a.x * b.x; }
};
template <typename T> __device__ V<T> operator+(V<T> a, T b) { return {a.x + 10 * b}; }
template <typename T> __device__ T dot(T a, T b) { return a + b; }
struct Fluent {
  int n;
  __device__ Fluent(int n) : n(n) {}
  __device__ Fluent &add(int k) { n += k; return *this; }
  __device__ Fluent &times(int k) { n *= k; return *this; }
  __device__ int get() const { return n; }
};

__device__ double run(int i) {
  A a{i};
  B b;
  b.x = 3;
  V<float> v{i * 0.5f}, w{2};
  V<int> u{i};
  Fluent c[3] = {1, 2, 3};
  int j = 0, sum = Fluent(3).add(i).times(2).get();
  c[j++].add(5).times(3);
  c[j++].add(i);
  Fluent d = Fluent(i).add(1), e = c[j].times(4).add(1);
  Fluent &r = d.add(2);
  r.n += 100;
  return f(a, 1) + f(a, 1.0) * 10.0 + (a + a).x + (a + 2).x + (a - a).x + (a - 2.f).x * 3 +
         (a * 2).x + (2 * a).x * 5 + (b + b).x + (b - a).x + f(b, 2) + (b + 1).x + (v + w).x +
         (v + 1.f).x + (u + u).x * 3 + dot(v, w) + dot(u, u) + dot(2, 3) + sum + c[0].n * 3 +
         c[1].n * 5 + c[2].n * 7 + d.n + e.n * 11 + j * 1000;
}
