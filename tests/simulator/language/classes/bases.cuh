// Several bases, names that are used of them, and bases that know who inherits from them.
struct Empty {};
struct First {
  int a;
  __device__ First(int x) : a(x) {}
  __device__ int f(int x) const { return a + x; }
  __device__ int only() { return a++; }
};
struct Second {
  short b = 7;
  char c = 3;
  typedef long long Wide;
  __device__ int f(float x) const { return b * int(x); }
  __device__ void bump(int by) { b += by; }
};
struct Both : First, Second {
  using First::f;
  using Second::f;
  using First::First;
  char d = 5;
  __device__ int f(double x, int y) const { return int(x) - y + d; }
  __device__ long long sum() { return a + b + c + d + First::f(2) + Second::f(3.0f); }
};
struct Third : Empty, Both {
  int own;
  __device__ Third(int x) : Both(x * 2), own(x) { c = x; bump(x); }
};
class Kept {
protected:
  int p = 4;
  __device__ int twice() const { return 2 * p; }
};
class Open : Kept {
public:
  using Kept::p;
  using Kept::twice;
  int q = 2;
};
struct Twin {
  typedef short Item;
  int a = 3;
  __device__ int f(int x) const { return a - x; }
};
struct Twins : First, Twin {
  Item small = 70000;
  __device__ Twins(int x) : First(x) {}
  __device__ int both() { return First::a * Twin::a + First::f(1) + this->Twin::f(2) + small; }
};
template <typename Derived> struct Counts {
  int count = 0;
  __device__ Derived &add(int by) {
    count += by;
    static_cast<Derived *>(this)->noted(by);
    return *static_cast<Derived *>(this);
  }
  __device__ const Derived &self() const { return static_cast<const Derived &>(*this); }
};
template <typename Derived> struct Scales {
  __device__ int scaled(int by) const { return static_cast<const Derived *>(this)->value() * by; }
};
struct Noted : Counts<Noted>, Scales<Noted> {
  int last = 0;
  __device__ void noted(int by) { last = by; }
  __device__ int value() const { return last + count; }
};
template <typename T> struct Base {
  T x;
  typedef T Item;
  __device__ Base(T x) : x(x) {}
  __device__ T get() const { return x; }
};
template <typename T> struct Heir : Base<T> {
  using Base<T>::Base;
  using Base<T>::x;
  using typename Base<T>::Item;
  __device__ Item more() const { return this->x + Base<T>::get() + x; }
};
__device__ int of_second(Second *s) { return s == nullptr ? -1 : s->b * 10 + s->c; }
__device__ int of_first(const First &f) { return f.a; }
__device__ Both *of_base(Second *s) { return static_cast<Both *>(s); }

__device__ double run(int i) {
  Both both(i), copy = both;
  both.bump(i);
  Third third(i);
  Both *p = &third;
  Second *s = p, *none = nullptr;
  Both *q = i & 1 ? p : nullptr;
  s->b += 2;
  Both many[3] = {i, i + 1, 7};
  Second *some = many + i % 3;
  some->bump(5);
  Open open;
  open.p += i;
  Twins twins(i);
  twins.Twin::a += i;
  Twins *to = &twins;
  to->First::a -= to->Twin::f(4) * twins.First::f(5);
  Noted noted;
  noted.add(i).add(3);
  Heir<int> heir(i);
  Heir<double> other(i * 0.5);
  double found = both.f(1) + both.f(2.0f) + both.f(3.0, i) + both.sum() + both.only() + copy.a;
  found += third.f(i) + third.own + of_second(s) + of_second(&third) + of_second(q);
  found += of_second(none) + of_first(third) + of_base(s)->d + (of_base(none) == nullptr);
  found += twins.both() + many[i % 3].b + of_second(many + 1) + open.p + open.twice() + open.q + noted.scaled(5) + noted.last + noted.self().count;
  found += heir.more() + other.more() + static_cast<Second &>(both).b + ((Second *)&both)->c;
  return found + sizeof(Both) + 3 * sizeof(Third) + 5 * sizeof(Open) + 7 * sizeof(Noted);
}
