// Bases without members, and bases that are templates of their heirs.
struct Tag {};
struct Tagged : Tag { int x; };
struct Op {
  __device__ int go(int a) const { return a * 2; }
  static __device__ int four() { return 4; }
};
struct Own : Op {
  int y;
  __device__ int run() { return go(y) + four(); }
};
struct Middle : Op {};
struct Last : Middle { __device__ int operator()(int a) const { return go(a); } };

template <typename D> struct Twice {
  __device__ const D &self() const { return static_cast<const D &>(*this); }
  __device__ int twice() const { return 2 * static_cast<const D *>(this)->value(); }
  __device__ int thrice() const { return 3 * self().value(); }
};
struct One : Twice<One> {
  int v;
  __device__ One(int v) : v(v) {}
  __device__ int value() const { return v + 1; }
};
template <typename D> struct Sums {
  int q;
  __device__ D &self() { return *static_cast<D *>(this); }
  __device__ D &add(int k) { self().v += k * q; return self(); }
  __device__ friend D operator+(const D &a, const Sums &b) { D r = a; r.v += b.q; return r; }
};
struct Two : Sums<Two> {
  int v;
  __device__ Two(int i) : v(i) { q = 3; }
};

__device__ int take(const Tag &) { return 1; }
__device__ int take_copy(Tag) { return 2; }
__device__ int op(const Op &o, int a) { return o.go(a); }
__device__ Tag made() { return Tag(); }
template <typename D> __device__ int use(const Twice<D> &one) { return one.twice() + 5; }

__device__ double run(int i) {
  Tagged t;
  t.x = i;
  Tag tag = t, tags[2], *pointer = &t;
  tags[1] = tag = t;
  Own own;
  own.y = i;
  Last last;
  Middle middle;
  Op o = last;
  One one(i), ones[2] = {1, One(i + 2)};
  Two two(i);
  two.add(2).add(i);
  two.self().v += 3;
  return take(t) + take_copy(t) + take(tag) + take(*pointer) + take_copy(made()) + own.run() +
         own.go(3) + op(own, 2) + last(3) + last.go(5) + middle.go(1) + Last()(2) + op(Last(), 4) +
         o.go(2) + t.x + one.twice() * 100 + one.thrice() * 7 + use(ones[i & 1]) + two.v * 11 +
         (two + two).v + sizeof(Tag) + sizeof(Tagged) + sizeof(One);
}
