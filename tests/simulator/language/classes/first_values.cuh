// First values that use other members, and parts of lists that are left out.
struct Chain {
  int a, b = a + 1, c;
  __device__ Chain(int i) : a(i), c(b * 2) {}
};
struct Parts {
  int z = 3;
  int y = z * 2;
  int w[3] = {z, y, z + y};
};
struct Plain { int x = 5; int y; float z = 1.5f; };
struct Nested { Plain a; Plain b[2] = {{1, 2, 3}, {4}}; int n = 9; };
struct Made {
  int v;
  __device__ Made(int v = 7) : v(v) {}
};
struct Several {
  Made a[3], b;
  __device__ Several(int i) : b(i) { a[1].v = i; }
};
struct Number {
  int v;
  __device__ operator int() const { return v; }
};

__device__ double run(int i) {
  Chain chain(i);
  Parts one, two{i}, three{i, 1, {5}};
  Plain p{i}, q{};
  Nested n{{1, i}, {{7}}}, m[2]{};
  Made made[3] = {1, Made(i)};
  Several s(i), t[2] = {1, Several(2)};
  int chosen = 0;
  switch (Number{i % 3}) {
    case 0: chosen = 5; break;
    case 1: chosen = 9; break;
  }
  return chain.a + chain.b * 10 + chain.c * 100 + one.w[2] + two.w[2] * 7 + two.y + three.w[0] +
         three.w[1] * 3 + p.x + p.z + q.x + n.a.y + n.a.z + n.b[0].x * 1000 + n.b[1].x * 10000 +
         m[1].n + m[1].b[1].z + made[2].v * 10000 + made[1].v + s.a[0].v + s.a[1].v * 3 +
         t[1].a[1].v * 1e6 + t[0].a[2].v + chosen;
}
