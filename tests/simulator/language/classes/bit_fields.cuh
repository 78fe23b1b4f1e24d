// Bit fields: what they hold, what they are promoted to, and where they lie.
struct Plain {
  unsigned a : 5;
  int b : 3;
  unsigned : 0;
  long long c : 40;
  char d;
  bool e : 1;
};
struct Shared {
  char c;
  int b : 8;
  short s;
  unsigned char x : 3, y : 5;
  unsigned short z : 9;
};
struct Across {
  char first;
  int a : 24;
  unsigned b : 20;
  int : 5;
  unsigned c : 7;
  long long d : 33;
};
struct Whole { unsigned w : 32; unsigned long long l : 64; int i : 32; };
struct Fields {
  unsigned sign : 1, exponent : 8;
  int n = 3;
  unsigned mantissa : 23;
  __device__ Fields(int i) : sign(i), exponent(i * 3), mantissa(i * 12345) {}
  __device__ int weigh() const { return sign * 1000 + exponent + mantissa % 97; }
  __device__ void grow() { exponent += 100; }
};
union Word {
  unsigned all;
  struct { unsigned low : 7, high : 25; };
  int top : 4;
};
struct Derived : Fields {
  unsigned tail : 6;
  __device__ Derived(int i) : Fields(i), tail(i) {}
};

__device__ int kind(unsigned) { return 100; }
__device__ int kind(int) { return 200; }
__device__ int kind(long long) { return 300; }
template <typename T> __device__ int size(T) { return sizeof(T); }
__device__ int weigh(const int &x) { return x + 1; }
__device__ Plain made(int i) { return {unsigned(i), i, i * 1000000007LL, 'x', i % 3 == 0}; }

__device__ double run(int i) {
  Plain p = made(i), q = p, z{};
  q.a += i * 3;
  q.b--;
  q.c <<= 3;
  q.e = i & 4;
  z.a = -i;
  int assigned = (z.b = i) + (q.a = 77) + ++q.b + q.b++ + (p.c -= 5);
  bool less = p.a - 40 < 0;
  double kinds = kind(p.a) + kind(p.a + 1) + kind(p.c) + kind(+p.a) + size(p.a) + size(p.c);
  kinds += (i > 3 ? p.a : -1) + weigh(p.b) + (~p.a > 0) + (p.c > 0);
  Shared s = {1, i, -3, unsigned(i), unsigned(i), unsigned(i * 37)}, many[2] = {};
  s.s += s.b;
  s.y ^= s.z;
  many[i & 1] = s;
  many[1].x = i;
  Shared *at = &many[i & 1];
  at->z += 300;
  at->b = i * 5;
  Across a{};
  a.first = i;
  a.a = -i * 1000;
  a.b = i * 77777;
  a.c = i * 3;
  a.d = -i;
  Across b = a;
  b.a += 1 << 22;
  b.d *= 3000000000LL;
  Whole w = {0u - i, ~0ull >> i, -i};
  w.l ^= w.w;
  Fields f(i), g = f;
  g.grow();
  Word word;
  word.all = i * 0x01234567;
  word.high ^= 5;
  word.low += 100;
  Derived d(i);
  d.tail += 50;
  switch (p.b) {
    case -1: kinds += 3; break;
    case 2: kinds += 5; break;
    default: kinds -= 1;
  }
  auto copy = p.a;
  double found = p.a + p.b + p.c % 1000 + p.d + p.e + q.a + q.b * 2 + q.c % 999 + q.e + z.a + z.b;
  found += assigned + less + kinds + s.s + s.y + many[0].z + many[1].x + many[1].b + many[0].b;
  found += b.first + b.a + b.b + b.c + b.d % 1234 + w.w % 99 + w.l % 98 + w.i + sizeof(copy);
  found += f.weigh() + g.weigh() + word.all % 1000 + word.top + d.tail + d.weigh();
  return found + sizeof(Plain) + 7 * sizeof(Shared) + 11 * sizeof(Across) + 13 * sizeof(Derived);
}
