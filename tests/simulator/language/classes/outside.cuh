// Templates of member functions, defined outside of the braces; tables of overloaded functions.
template <typename T, int N> class Stack {
  T d[N];
  int n;

 public:
  __device__ Stack() : n(0) {}
  __device__ void push(T x) { d[n++] = x; }
  template <typename U> __device__ U sum() const;
  template <typename U, int by = 2> static __device__ U scaled(U x, U y = 1);
};
template <typename T, int N> template <typename U> __device__ U Stack<T, N>::sum() const {
  U s = 0;
  for (int j = 0; j < n; j++) s += d[j];
  return s;
}
template <typename A, int N> template <typename B, int by>
__device__ B Stack<A, N>::scaled(B x, B y) { return x * by * N + y; }

struct Plain {
  int v;
  template <typename U> __device__ U times(U u) const;
  template <typename U> __device__ U times(U *u) const;
  template <typename U> __device__ Plain &add(U u);
};
template <typename V> __device__ V Plain::times(V u) const { return u * v; }
template <typename V> __device__ V Plain::times(V *u) const { return *u + v; }
template <typename V> __device__ Plain &Plain::add(V u) { v += u; return *this; }

__device__ int f(int x) { return x + 1; }
__device__ float f(float x) { return x * 2; }
struct Functions { int (*one)(int); float (*two)(float); };

__device__ double run(int i) {
  Stack<int, 9> s;
  for (int j = 0; j < i % 6; j++) s.push(i + j);
  Plain p{i};
  p.add(2).add(1.75f);
  int (*table[2])(int) = {f, f}, four = 4;
  Functions both{f, f};
  return s.sum<float>() + s.scaled(2.5) * 10 + Stack<int, 9>::scaled(i, 3) + p.times(2) +
         p.times(1.5) + p.times(&four) * 100 + table[i % 2](i) + both.one(3) + both.two(i) * 7;
}
