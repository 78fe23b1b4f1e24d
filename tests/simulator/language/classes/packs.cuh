// Parameter packs of functions and classes: recursion, folds of all forms, expansions anywhere.
template <typename... Ts> __device__ int sum(Ts... xs) { return (xs + ... + 0); }
template <typename... Ts> __device__ int minus_right(Ts... xs) { return (xs - ...); }
template <typename... Ts> __device__ int minus_left(Ts... xs) { return (... - xs); }
template <typename... Ts> __device__ int from_right(int a, Ts... xs) { return (xs - ... - a); }
template <typename... Ts> __device__ int from_left(int a, Ts... xs) { return (a - ... - xs); }
template <typename... Ts> __device__ bool all(Ts... xs) { return (... && xs); }
template <typename... Ts> __device__ bool any(Ts... xs) { return (xs || ...); }
template <typename... Ts> __device__ void add_to(int &to, const Ts &...xs) { ((to += xs), ...); }
template <typename T> __device__ T largest(T x) { return x; }
template <typename T, typename... Rest> __device__ T largest(T first, Rest... rest) {
  T other = largest(rest...);
  return first > other ? first : other;
}
template <typename First, typename... Rest> __device__ int weigh(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return sizeof(First);
  } else {
    return sizeof(First) + 10 * weigh(rest...);
  }
}
template <int... Ns> __device__ int listed(int i) {
  int table[] = {Ns..., 7};
  return table[i % (sizeof...(Ns) + 1)];
}
template <int... Ns> struct Numbers {
  static constexpr int count = sizeof...(Ns);
  static constexpr int total = (Ns + ... + 0);
};
template <typename... Ts> struct Sizes;
template <> struct Sizes<> { static constexpr int value = 1; };
template <typename T, typename... R> struct Sizes<T, R...> {
  static constexpr int value = sizeof(T) + 3 * Sizes<R...>::value;
};
template <typename T, typename U, typename... Rest> struct AllSame { static constexpr bool value = false; };
template <typename T> struct AllSame<T, T> { static constexpr bool value = true; };
template <typename T, typename... R> struct AllSame<T, T, R...> {
  static constexpr bool value = AllSame<T, R...>::value;
};
template <typename... Ts> struct Tuple {};
template <typename T, typename... R> struct Tuple<T, R...> {
  T first;
  Tuple<R...> rest;
  __device__ Tuple(T first, R... rest) : first(first), rest(rest...) {}
  template <typename F> __device__ void each(F f) const {
    f(first);
    if constexpr (sizeof...(R) > 0) rest.each(f);
  }
};
template <typename... Ts> __device__ Tuple<Ts...> tuple_of(Ts... xs) { return Tuple<Ts...>(xs...); }
template <typename... Ts> __device__ int count_types(const Tuple<Ts...> &) { return sizeof...(Ts); }
template <typename T, typename... Ts> constexpr bool is_among = (Sizes<T>::value == ... == Sizes<Ts>::value);
template <typename... Ts> using Pack = Tuple<int, Ts...>;
template <typename F, typename... Args> __device__ int apply(F f, Args... args) { return f(args...); }
__device__ int three(int a, int b, int c) { return a + 2 * b + 3 * c; }
__device__ int twice(int x) { return 2 * x; }
struct Many {
  int sum = 0;
  template <typename... Ts> __device__ Many &add(Ts... xs) {
    sum += (twice(xs) + ... + 1);
    return *this;
  }
  template <int N, typename... Ts> __device__ int scaled(Ts... xs) const { return sum + ((N * xs) + ...); }
};

__device__ double run(int i) {
  double found = sum(i, 2, 3.5f) + 100 * sum() + minus_right(i, 2, 3) + 7 * minus_left(i, 2, 3);
  found += from_right(1, i, 3) - 5 * from_left(2, i, 4);
  found += all(i, i > 3, true) + 2 * all() + 4 * any(i == 2, false) + 8 * any();
  int to = i;
  add_to(to, 1, 2L, i);
  found += to * 0.5 + largest(i, 7, 3 * i - 20) + weigh('a', 1, 2.0, i);
  found += listed<3, 1, 4>(i) + Numbers<1, 2, 3>::total * Numbers<5, 6>::count + Numbers<>::total;
  found += Sizes<char, int, double>::value + is_among<int, float> + 2 * is_among<int, double>;
  found += AllSame<int, int, int>::value + 2 * AllSame<int, int, long>::value;
  auto tuple = tuple_of(i, 2.5f, 'b');
  tuple.each([&](auto x) { found += x; });
  Pack<double> pack(i, 0.25);
  found += pack.rest.first + count_types(tuple) + 10 * count_types(pack);
  found += apply(three, i, 2, 3) + apply([](int a, int b) { return a * b; }, i, 5);
  auto folded = [i](auto... xs) { return ((xs * i) + ... + sizeof...(xs)); };
  found += folded(1, 2.5) + folded();
  Many many;
  many.add(1, i).add();
  return found + many.scaled<3>(i, 2);
}
