// Lambdas: captures, generic ones, passed on, nested, in members and loops.
template <typename F> __device__ void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }
template <typename T, typename F> __device__ T apply(const F &f, T x) { return f(f(x)); }

struct Account {
  int total;
  __device__ int earn(int n) {
    auto add = [this](int i) { total += i; };
    each(n, add);
    each(2, [&](int i) { total += i * n; });
    return total;
  }
};

__device__ double run(int i) {
  int sum = 0, base = 3;
  int table[4] = {1, 2, 3, 4};
  auto add = [&](int x) { sum += x; return sum; };
  add(1);
  add(i);
  auto copy = [=](int x) { return x + base; };
  auto mixed = [base, &sum](int x) { sum += base; return x - base; };
  base = 100;
  auto larger = [](auto a, auto b) { return a > b ? a : b; };
  auto at = [&](int k) -> int { return table[k & 3]; };
  table[1] = 20;
  auto count = [n = i]() mutable { n += 2; return n; };
  count();
  each(4, [&](int k) { table[k] += k; if (k > 2) return; sum += table[k]; });
  Account account{0};
  int earned = account.earn(i % 5);
  auto nested = [&]() {
    int inner = 2;
    auto deeper = [&](int by) { inner *= by; sum += inner; return inner; };
    return deeper(3) + inner;
  };
  auto early = [](int x) { if (x % 2) return 1; return 2; };
  int immediate = [&] { return sum % 7; }();
  return sum + copy(1) + mixed(1) + larger(2, 3) + larger(1.5, i * 0.5) + at(i) + count() +
         earned + nested() + early(i) + immediate + apply([](int x) { return 3 * x; }, i) + sum;
}
