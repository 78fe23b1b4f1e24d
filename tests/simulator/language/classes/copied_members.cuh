// Objects with members that count their copies and assignments: in members, arrays, bases, lambdas.
struct Counted {
  int v, copies;
  __device__ Counted(int v) : v(v), copies(0) {}
  __device__ Counted(const Counted &o) : v(o.v), copies(o.copies + 1) {}
  __device__ Counted &operator=(const Counted &o) { v = o.v; copies = o.copies + 10; return *this; }
};
struct Holder { Counted first; int second; };
struct Row { Counted cells[2]; };
struct Pair {
  Counted a, b;
  __device__ Pair(const Counted &x, Counted y) : a(x), b(y) {}
};
struct Heir : Counted {
  int own;
  __device__ Heir(int i) : Counted(i), own(7) {}
};
struct Named : Counted {
  __device__ Named(int i) : Counted(i) {}
  __device__ Named(const Named &o) : Counted(o) {}
  __device__ Named twice() const { Named made = *this; return made; }
};
struct Number {
  int v;
  __device__ Number &operator=(int x) { v = 10 * x; return *this; }
};
__device__ Counted pass(Counted c) { return c; }
__device__ Counted local(int i) { Counted c(i); return c; }

__device__ double run(int i) {
  Counted c(i);
  Holder h{c, 3}, other{Counted(2), 4};
  Holder g = h;
  other = g;
  auto same = other;
  Row row{c, Counted(1)}, next = row;
  Counted many[2] = {c, Counted(5)}, last[1] = {g.first};
  Pair pair(c, c), again = pair;
  Heir heir(i), later = heir;
  Counted part = later;
  auto f = [c] { return c.copies; };
  auto f2 = f;
  auto f3 = [=] { return c.copies; };
  Named named(i), other_named = named.twice();
  Number n, m;
  m = n = 3;
  return i + h.first.copies + 2 * g.first.copies + 3.0 * other.first.copies +
         5.0 * same.first.copies + 7.0 * next.cells[0].copies + 1e2 * many[0].copies +
         1e3 * last[0].copies + 1e4 * pair.a.copies + 1e5 * pair.b.copies + 1e6 * again.a.copies +
         1e7 * later.copies + 1e8 * part.copies + 1e9 * f() + 1e10 * f2() + 1e11 * f3() +
         1e12 * pass(c).copies + 1e13 * local(i).copies + m.v + 1e14 * other_named.copies;
}
