// What `constexpr` functions make while the program is compiled, where constants are needed.
__device__ constexpr int square(int x) { return x * x; }
__device__ constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__device__ constexpr int digits(unsigned n) {
  int count = 0;
  do {
    count++;
    n /= 10;
  } while (n != 0);
  return count;
}
__device__ constexpr int primes(int limit) {
  int found = 0;
  for (int i = 2; i < limit; i++) {
    bool prime = true;
    for (int j = 2; j * j <= i; j++) {
      if (i % j) continue;
      prime = false;
      break;
    }
    found += prime;
  }
  return found;
}
__device__ constexpr int kind(int x) {
  switch (x % 4) {
    case 0: return 10;
    case 1: x += 5;
    case 2: x *= 2; break;
    default: return -x;
  }
  return x;
}
__device__ constexpr void change(int &x, int by) { x += by; }
__device__ constexpr int changed(int x) {
  change(x, 2);
  change(x, x);
  return x--;
}
__device__ constexpr int sum(const int *values, int count) {
  int total = 0;
  for (const int *at = values; at != values + count; ++at) total += *at;
  return total;
}
struct Size {
  int x, y;
  int more[2] = {7, 8};
  __device__ constexpr Size(int x, int y) : x(x), y(y) {}
  __device__ constexpr int area() const { return x * y + more[1]; }
  __device__ constexpr Size operator+(const Size &other) const { return Size(x + other.x, y + other.y); }
};
struct Table {
  int values[6];
};
__device__ constexpr Table squares(int from) {
  Table made{};
  for (int i = 0; i < 6; i++) made.values[i] = square(from + i);
  return made;
}
template <typename T> __device__ constexpr T largest(T a, T b) { return a < b ? b : a; }
template <typename T> struct Traits {
  static __device__ constexpr int words() { return (sizeof(T) + 3) / 4; }
  static constexpr int powers[4] = {1, 2, 4, 8 * sizeof(T)};
};
template <int N> struct Fixed { static constexpr int value = N; };
template <typename... Ts> __device__ constexpr int bytes() { return (sizeof(Ts) + ... + 0); }
__device__ constexpr float halves(int n) { return n ? 0.5f * n + halves(n - 1) : 0.1f; }
constexpr Table table = squares(2);
constexpr int grid[2][3] = {{1, 2, 3}, {square(2), 5}};
inline constexpr int inlined = factorial(4);
enum Colour { RED = square(3), GREEN };

template <int n> __device__ int recursive() {
  if constexpr (factorial(n) > 100) {
    return n;
  } else {
    return recursive<n + 1>();
  }
}

__device__ double run(int i) {
  static_assert(factorial(5) == 120 && primes(100) == 25, "");
  int stored[square(2)] = {i, 2, 3, 4};
  constexpr Size size = Size(2, 3) + Size(1, 1);
  constexpr int list[] = {3, 1, kind(1)};
  const int fixed = sum(list, 3);
  int more[fixed] = {i};
  double found = stored[i % square(2)] + more[0] + size.area() + sizeof(more);
  found += Fixed<size.area()>::value + Fixed<digits(12345u)>::value + Fixed<largest(3, -4)>::value;
  found += Fixed<Traits<double>::words() + bytes<char, short>()>::value + Traits<int>::powers[i % 4];
  switch (i) {
    case square(3): found += 1000; break;
    case kind(2): found += 2000; break;
    case changed(3): found += 3000;
  }
  constexpr auto twice = [](int x) { return 2 * x; };
  int last[twice(2) + table.values[0]];
  constexpr float f = halves(4);
  found += table.values[i % 6] + grid[i & 1][i % 3] + inlined + GREEN + recursive<2>() + sizeof(last);
  const Table *at = &table;
  return found + at->values[3] + f + kind(i) + changed(i) + Traits<char>::powers[3];
}
