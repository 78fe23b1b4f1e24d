// Member functions, constructors, first values, access, constants.
class Counter {
  int count = 0;
  int step;

 public:
  static constexpr int limit = 40;
  enum Mode { UP, DOWN = 7 };
  using value_type = int;
  __device__ explicit Counter(int step) : step(step) {}
  __device__ Counter(int step, int first) : Counter(step) { count = first; }
  __device__ Counter &add(int times = 1) {
    for (int i = 0; i < times; i++) {
      if (count >= limit) return *this;
      count += step;
    }
    return *this;
  }
  __device__ int get() const { return count; }
  __device__ bool full() const { return count >= limit; }
  __device__ int twice() const { return 2 * get() + this->step; }
  static __device__ Counter made(int step) { return Counter(step, DOWN); }
};

struct Point {
  float x, y = 2.5f;
  int tags[3] = {1, 2};
  __device__ float sum() const { return x + y + tags[0] + tags[1] + tags[2]; }
  __device__ void scale(float by);
  struct Pair { int a, b; };
  __device__ Pair pair() const { return {int(x), tags[1]}; }
};

__device__ void Point::scale(float by) {
  x *= by;
  y *= by;
  tags[2] = int(by);
}

struct Line {
  Point from, to;
  Counter counter{3};
  __device__ float length() { counter.add(); return to.sum() - from.sum() + counter.get(); }
};

__device__ double run(int i) {
  Counter c(2), d(3, i), e = Counter::made(i);
  c.add(3).add().add(i);
  Point p{float(i)}, q = {1.0f, 2.0f, {3, 4, 5}};
  Point *pointer = &q;
  pointer->scale(2);
  Line line{p, q};
  Counter::value_type t = Counter::limit;
  double last = line.length() + line.length();
  const Point fixed = q;
  Point::Pair pair = fixed.pair();
  return c.get() + d.add().twice() * 100.0 + e.twice() + p.sum() * 7 + q.sum() + last + t +
         Counter::UP + Counter::DOWN + c.full() + fixed.sum() + pair.a + pair.b;
}
