// Pointers to functions: variables, tables, members, parameters, templates, references to arrays.
typedef float (*Binary)(float, float);
using Unary = int (*)(int);

__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ float first(float a, float) { return a; }
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ double twice(double x) { return 2.5 * x; }
template <typename T> __device__ T thrice(T x) { return 3 * x; }

struct Step {
  Unary op;
  int times;
};

__device__ int apply(int (*f)(int), int x, int times) {
  for (int i = 0; i < times; i++) x = f(x);
  return x;
}
template <Binary op> __device__ float fixed(float a, float b) { return op(a, b); }
template <typename F> __device__ float any(F f, float x) { return (*f)(x, 2.0f); }
template <typename T, int N> __device__ T total(const T (&values)[N]) {
  T sum = 0;
  for (int i = 0; i < N; i++) sum += values[i];
  return sum + sizeof(values);
}
__device__ void fill(int (&values)[3], int value) {
  for (int i = 0; i < 3; i++) values[i] = value + i;
}
__device__ Unary chosen(int i) { return i % 2 ? &square : nullptr; }

__device__ double run(int i) {
  Binary table[3] = {add, multiply, &first};
  Binary one = table[i % 3];
  float (*other)(float, float) = i > 10 ? add : multiply;
  Unary u = i < 4 ? (Unary)twice : square;
  Step step = {square, 2};
  if (i & 1) step.op = u;
  Unary third = thrice<int>;
  double (*wide)(double) = twice;
  int values[3] = {1, 2, 3};
  float floats[2] = {0.5f, float(i)};
  fill(values, i);
  Unary maybe = chosen(i);
  int rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int(*row)[3] = rows;
  row++;
  int(*at)[3] = &rows[1];
  int *flat = (int *)&rows[1];
  auto &whole = rows[1];
  return one(i, 3) + table[1](2, i) + (*other)(1, i) + u(3) + step.op(i) + apply(u, 2, 2) +
         apply(square, i, 1) + fixed<add>(1, 2) + fixed<multiply>(3, i) + any(add, 1) +
         any(table[i % 2], 5) + third(i) + wide(1.5) + total(values) + total(floats) +
         (maybe ? maybe(i) : -1) + (maybe == nullptr) + (*row)[2] + row[0][1] + (*at)[2] +
         at[-1][1] + flat[i % 3] + whole[2];
}
