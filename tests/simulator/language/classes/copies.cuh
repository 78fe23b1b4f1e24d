// Constructors that copy, friends, functions that call themselves, objects in arrays.
struct Traced {
  int value, copies;
  __device__ Traced(int value) : value(value), copies(0) {}
  __device__ Traced(const Traced &o) : value(o.value), copies(o.copies + 1) {}
  Traced &operator=(const Traced &) = default;
  friend __device__ Traced operator*(const Traced &a, int by) { return Traced(a.value * by); }
  friend __device__ int weight(const Traced &a) { return a.value + 100 * a.copies; }
};

__device__ int by_value(Traced t) { return weight(t); }
__device__ int by_reference(const Traced &t) { return weight(t); }
__device__ Traced made(int i) { return Traced(i); }
__device__ Traced passed(Traced t) { t.value++; return t; }

template <typename T> struct Cell {
  T value;
  friend __device__ Cell operator+(Cell a, Cell b) { return Cell{a.value + b.value}; }
  __device__ Cell operator-(Cell o) const { return {value - o.value}; }
};

struct Node {
  int value;
  const Node *next;
  __device__ int sum() const { return next ? value + next->sum() : value; }
  __device__ int odd(int n) const { return n == 0 ? 0 : even(n - 1) + value; }
  __device__ int even(int n) const { return n == 0 ? 1 : odd(n - 1); }
};

struct Started {
  int at = 7;
  Node node;
};

__device__ double run(int i) {
  Traced a(i), b = a, c(b), d = made(i);
  Traced many[2] = {Traced(1), Traced(2)};
  d = c;
  Traced e = a * 3;
  Cell<int> x{1}, y{i};
  Node last = {5, nullptr}, middle = {i, &last}, first = {1, &middle};
  Started started[2];
  started[1].at += i;
  return weight(a) + weight(b) + weight(c) + weight(d) + weight(e) * 2 + by_value(a) +
         by_reference(b) + weight(many[1]) + (x + y).value + (x - y).value + first.sum() +
         first.odd(i) + weight(made(3)) + started[0].at + started[1].at;
}
