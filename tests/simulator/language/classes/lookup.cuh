// What names mean where a lambda stands, and parameters that a function changes as it returns.
__device__ const int x = 5;
struct Table {
  int v[8];
  __device__ int &next(int k) { return v[++k & 7]; }
  __device__ int &at(int k) { return v[k & 7]; }
};

__device__ double run(int i) {
  auto f = [&] { return x + i; };
  int x = 100;
  Table t;
  for (int j = 0; j < 8; j++) t.v[j] = j * 10;
  int k = i, sum = t.next(k) + k * 100;
  int &r = t.at(k);
  k = 3;
  r += 7;
  sum += t.v[i & 7] + t.v[3];
  for (int j = 0; j < 8; j++) sum = sum * 3 + t.v[j];
  return sum + f() + x;
}
