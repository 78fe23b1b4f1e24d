// Arrays that lambdas capture; objects that are members and can be called.
struct Cell { int x; };
struct Twice { __device__ int operator()(int x) const { return 2 * x; } };
struct Caller {
  Twice twice;
  int from;
  __device__ int go(int x) const { return twice(x) + from; }
};
template <typename F> __device__ int each(F f) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += f(i);
  return sum;
}
__device__ int weighted(int i, const int *p) {
  int w[4];
  for (int j = 0; j < 4; j++) w[j] = p[j] + i;
  return each([=](int j) { return w[j] * j; });
}

__device__ double run(int i) {
  int t[3] = {1, i, 3}, z[4] = {4, 3, 2, i};
  float m[2][2] = {{1, 2}, {3, 4}};
  Cell q[2] = {{i}, {4}};
  const int c[2] = {5, 6};
  auto f = [=](int k) {
    int sum = 0;
    for (int j = 0; j < 3; j++) sum += t[j] * k;
    return sum + m[1][k & 1] + q[k & 1].x + c[0];
  };
  auto g = [t](int k) mutable { t[k % 3] += k; return t[0] + t[1] * 10 + t[2] * 100 + sizeof(t); };
  auto h = [&t](int k) { t[k % 3]++; return t[k % 3]; };
  t[1] = 50;
  m[1][1] = 9;
  q[0].x = 100;
  double first = f(i) + f(1);
  first += g(i);
  first += g(1);
  first += h(i);
  auto again = f;
  Caller caller{{}, 3};
  return first + again(2) + t[0] + t[1] + t[2] + weighted(i, z) + caller.twice(i) + caller.go(2);
}
