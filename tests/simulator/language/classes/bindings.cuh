// Structured bindings of structures and arrays, by value and by reference.
struct Pair {
  int first;
  float second;
};
struct Box {
  Pair pair;
  int many[3];
};
__device__ Pair made(int i) { return {i * 3, i * 0.5f}; }

__device__ double run(int i) {
  auto [a, b] = made(i);
  double found = a + b;
  Pair p{i, 2.5f};
  auto &[x, y] = p;
  x += 4;
  y *= 2;
  auto [u, v] = p;
  u += 100;
  found += p.first * 10 + p.second + u + v;
  int t[3] = {i, 2, 3};
  auto [q, r, s] = t;
  auto &[qq, rr, ss] = t;
  qq = 50;
  rr += i;
  found += q + r + s + t[0] + t[1] + ss;
  Box box{{1, 2}, {i, 5, 6}};
  const auto &[pair, many] = box;
  found += pair.first + many[i % 3];
  auto &&[m, n] = p;
  m -= 1;
  Pair pairs[2] = {{i, 1}, {2, 3}};
  for (auto &[first, second] : pairs) second += first;
  for (auto [first, second] : pairs) found += first * second;
  if (auto [c, d] = made(i + 1); c > 20) found += d;
  auto add = [m = m](int by) { return by + m; };
  return found + p.first + n + add(2);
}
