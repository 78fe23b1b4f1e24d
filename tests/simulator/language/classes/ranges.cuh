// Loops over arrays and over what a class has between begin() and end().
struct Items {
  int all[5];
  int count;
  __device__ const int *begin() const { return all; }
  __device__ const int *end() const { return all + count; }
};

struct Counter {
  int at;
  __device__ int operator*() const { return at * at; }
  __device__ Counter &operator++() { ++at; return *this; }
  __device__ bool operator!=(Counter o) const { return at != o.at; }
};

struct Squares {
  int n;
  __device__ Counter begin() const { return {0}; }
  __device__ Counter end() const { return {n}; }
};

__device__ double run(int i) {
  int a[4] = {1, 2, 3, i}, sum = 0;
  for (int x : a) sum += x;
  for (int &x : a) x += sum;
  for (const auto &x : a) {
    if (x % 3 == 0) continue;
    if (x > 100) break;
    sum += x;
  }
  float grid[2][3] = {{1, 2, 3}, {4, 5, float(i)}};
  float total = 0;
  for (auto &row : grid)
    for (float x : row) total += x;
  Items items = {{1, 2, 3, 4, 5}, i % 6};
  for (int x : items) sum += 100 * x;
  Squares squares{i % 7};
  for (int x : squares) sum += 1000 * x;
  for (auto x : a) { int a = x; sum += a; }
  return sum + total;
}
