// References on their way through templates; templates and `auto` as parameters of templates.
template <typename T> __device__ void bump(T &x) { x += 1; }
template <typename T> __device__ int read(const T &x) { return x; }
template <typename F, typename... Args> __device__ auto call(F &&f, Args &&...args) {
  return f(static_cast<Args &&>(args)...);
}
template <typename T> __device__ int through(T &&x) {
  x += 5;
  return x;
}
template <typename A, typename B> struct Pair {
  A first;
  B second;
};
template <template <typename> class Op, typename T> __device__ T with(T a, T b) { return Op<T>::of(a, b); }
template <template <typename, typename> class P, typename A, typename B> __device__ int parts(P<A, B> p) {
  return p.first * 10 + p.second;
}
template <typename T> struct Plus { static __device__ T of(T a, T b) { return a + b; } };
template <typename T> struct Less { static __device__ T of(T a, T b) { return a - b; } };
template <typename T, template <typename...> class Holder> struct Uses { Holder<T, int> held; };
template <auto N> struct Constant { static constexpr auto value = N; };
template <auto N> __device__ int plus(int x) { return x + N; }
template <template <typename> class... Ops> __device__ int each_of(int a, int b) { return (Ops<int>::of(a, b) + ... + 0); }

struct Cell {
  int x;
};
template <typename T> __device__ int chosen(T &&x) { return 1; }
template <typename T> __device__ int chosen(const T &x) { return 2; }
__device__ int picked(const Cell &x) { return 2; }
template <typename T> __device__ int picked(T &&x) { return 1; }
template <typename T> __device__ int matched(T x) { return 1; }
template <typename T> __device__ int matched(T *x) { return 2; }
template <typename... Ts> __device__ int matched(Ts &&...x) { return 3; }

__device__ double run(int i) {
  int x = i;
  call([](int &a, int by) { a += by; }, x, 3);
  double found = through(x);
  found += through(i + 1) + 10 * x;
  const int y = i + 2;
  found += call([](auto &&a, auto &&...others) { return a + (others * ... * 1); }, y, x, 2);
  auto &&z = x;
  z += 4;
  auto &&w = i * 2;
  int table[3] = {1, i, 3};
  for (auto &&t : table) t += 1;
  for (auto &&t : table) found += t;
  found += x + w;
  found += with<Plus>(i, 3) * with<Less>(2.5f, 1.0f);
  found += parts(Pair<int, char>{i, 3}) + plus<7>(i) + plus<'a'>(1) + Constant<5u>::value;
  Uses<float, Pair> uses{{1.5f, i}};
  decltype(x) again = x;
  decltype(uses.held.first) half = 0.5f;
  const Cell fixed{i};
  Cell cell{i};
  found += chosen(1) * 100 + chosen(y) * 10 + chosen(x);
  found += picked(Cell{i}) * 100 + picked(fixed) * 10 + picked(cell);
  found += matched(table) * 100 + matched() * 10 + matched(1, 2);
  return found + uses.held.first * uses.held.second + each_of<Plus, Less>(i, 4) + again * half;
}
