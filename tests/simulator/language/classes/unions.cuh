// Unions: a member is read as the bytes that another one has written.
union Bits {
  float f;
  int i;
  unsigned char bytes[4];
};
union Wide {
  double d;
  long long l;
  int words[2];
  struct { short low, next; unsigned char last[4]; } parts;
};
struct Tagged {
  int kind;
  union {
    float real;
    int whole;
    struct { unsigned char r, g, b, a; };
  };
  short after;
};
union Rows {
  float all[6];
  float rows[2][3];
  struct { float x, y, z; } points[2];
  int words[6];
};
union Made {
  int v = 7;
  float f;
  Made() = default;
  __device__ explicit Made(float x) : f(x) {}
  __device__ int top() const { return v >> 23; }
  __device__ int &whole() { return v; }
};
struct Holder {
  Bits bits;
  Made many[2];
  __device__ Holder(int i) : bits{float(i)} { many[1].f = i * 0.5f; }
};
class Hidden {
  union { int n; float f; };
public:
  int last;
  __device__ Hidden(int i) : f(i + 0.25f), last(i) {}
  __device__ int bits() const { return n; }
};

__device__ Bits made(int i) {
  Bits found;
  if (i & 1) {
    found.f = i;
    return found;
  }
  found.i = 0x40490fdb + i;
  return found;
}
__device__ int sum(Wide w) { return w.words[0] ^ w.words[1] + w.parts.next; }
__device__ void flip(Bits &b) { b.i ^= 1 << 31; }
__device__ int of_array(const unsigned char *bytes) { return bytes[0] * 3 + bytes[3]; }

__device__ double run(int i) {
  Bits a, b = {1.5f};
  a.f = i * 0.75f;
  int sum1 = a.i + b.bytes[2] + made(i).i + (i % 3 ? a : b).bytes[3];
  flip(a);
  Bits c = a, *p = &c;
  p->bytes[i & 3] += 9;
  Wide w;
  w.d = i - 2.5;
  w.parts.last[1] ^= i;
  Wide many[3] = {{1.0}, w};
  many[i % 3].words[i & 1] = i;
  Tagged t;
  t.kind = i;
  t.after = -i;
  t.real = i * 1.25f;
  t.g += 3;
  Tagged u = t, v = {3, {2.5f}, 4};
  if (i & 2) u.whole = 5;
  Rows r;
  for (int j = 0; j < 6; j++) r.all[j] = j * i;
  r.rows[1][i % 3] -= 1;
  r.points[0].y = 3;
  union {
    unsigned local;
    signed char chars[4];
  };
  local = 0x81f3a5c7u + i;
  union { float f; unsigned u; } named = {float(i)};
  Made one, two(2.5f + i);
  two.whole() += 1;
  Holder h(i), k = h;
  k.many[0] = two;
  Hidden hidden(i);
  double found = sum1 + sum(w) + sum(many[1]) + a.f + c.i + t.real + t.after + u.a + v.real;
  found += r.words[4] + r.points[1].z * 3 + chars[i & 3] + named.u % 1000 + one.v + two.top();
  found += h.bits.i % 77 + h.many[0].v + k.many[0].f + k.many[1].top() + of_array(c.bytes);
  return found + hidden.bits() + sizeof(Bits) + 2 * sizeof(Wide) + 3 * sizeof(Tagged) + sizeof(Rows);
}
