// Operators that are members, conversions, and references as results.
struct Fixed {
  int bits;
  Fixed() = default;
  __device__ Fixed(int whole) : bits(whole << 8) {}
  __device__ Fixed(float value) : bits(int(value * 256)) {}
  __device__ operator float() const { return bits / 256.0f; }
  __device__ Fixed operator+(const Fixed &o) const { return raw(bits + o.bits); }
  __device__ Fixed operator-() const { return raw(-bits); }
  __device__ Fixed &operator+=(Fixed o) { bits += o.bits; return *this; }
  __device__ Fixed &operator++() { bits += 256; return *this; }
  __device__ Fixed operator++(int) { Fixed old = *this; bits += 256; return old; }
  __device__ bool operator<(const Fixed &o) const { return bits < o.bits; }
  __device__ bool operator==(const Fixed &o) const { return bits == o.bits; }
  static __device__ Fixed raw(int bits) { Fixed made; made.bits = bits; return made; }
};

struct Row {
  float values[4];
  __device__ float &operator[](int i) { return values[i]; }
  __device__ const float &operator[](int i) const { return values[i]; }
  __device__ float operator()(int i, int j) const { return values[i] * values[j]; }
  __device__ float &largest() {
    int best = 0;
    for (int i = 1; i < 4; i++)
      if (values[i] > values[best]) best = i;
    return values[best];
  }
};

struct Matrix {
  Row rows[2];
  __device__ Row &operator[](int i) { return rows[i]; }
  __device__ explicit operator bool() const { return rows[0][0] != 0; }
};

struct Iterator {
  const float *at;
  __device__ float operator*() const { return *at; }
  __device__ Iterator &operator++() { ++at; return *this; }
  __device__ bool operator!=(Iterator o) const { return at != o.at; }
};

__device__ float half_of(Fixed f) { return f / 2; }
__device__ float &pick(float &a, float &b, bool first) { return first ? a : b; }

__device__ double run(int i) {
  Fixed a = i, b = 1.5f, c;
  c = a + b;
  c += 2;
  ++c;
  Fixed d = c++;
  Row row = {{1, 2, 3, float(i)}};
  row[2] += 10;
  row[i % 4] = 5;
  const Row kept = row;
  row.largest() = -1;
  Matrix m = {{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}};
  m[1][i & 3] = i;
  m[0][2] *= 2;
  float sum = 0, x = 1, y = 2;
  pick(x, y, i > 5) += 10;
  for (Iterator it{kept.values}, end{kept.values + 4}; it != end; ++it) sum += *it;
  float f = -c;
  int whole = m ? 1 : 0;
  return float(a + b) + c + d * 3.0f + half_of(i) + (a < b) * 50 + (c == d) + kept[2] +
         kept(1, 3) + row[3] + row[0] + m[1][1] + m[0][2] + m[1][3] + sum + f + whole + x * y +
         half_of(2.5f);
}
