// Enumerations are types of their own: overloads, templates, operators and bit fields tell them from
// numbers, and those that are no classes convert to numbers.
enum Colour { RED = 1, GREEN = 2, BLUE = 4 };
enum class Op : unsigned char { add, sub, mul };
enum class Wide : long long { big = 1ll << 40 };
enum Byte : unsigned char { FEW = 200 };

__device__ int which(Colour) { return 1; }
__device__ int which(Op) { return 2; }
__device__ int which(int) { return 3; }
__device__ int which(unsigned) { return 4; }
__device__ int narrow(unsigned char) { return 5; }
__device__ int narrow(int) { return 6; }

__device__ Colour operator|(Colour a, Colour b) { return Colour(int(a) | int(b)); }
__device__ Colour &operator|=(Colour &a, Colour b) { return a = a | b; }
__device__ Op &operator++(Op &op) { return op = op == Op::mul ? Op::add : Op(int(op) + 1); }
__device__ Op operator++(Op &op, int) {
    Op old = op;
    ++op;
    return old;
}
__device__ bool operator!(Op op) { return op == Op::add; }

template <typename T> struct Kind { static constexpr int value = 1; };
template <> struct Kind<int> { static constexpr int value = 2; };
template <> struct Kind<Colour> { static constexpr int value = 3; };
template <> struct Kind<Op> { static constexpr int value = 4; };
template <typename T> __device__ int kind(T) { return Kind<T>::value; }

template <Op op> __device__ int applied(int a, int b) {
    if constexpr (op == Op::add) return a + b;
    else if constexpr (op == Op::sub) return a - b;
    else return a * b;
}
__device__ int applied(Op op, int a, int b) {
    switch (op) {
        case Op::add: return applied<Op::add>(a, b);
        case Op::sub: return applied<Op::sub>(a, b);
        case Op::mul: return applied<Op::mul>(a, b);
    }
    return -1;
}
__device__ constexpr Op cycled(Op op) { return op == Op::mul ? Op::add : Op(int(op) + 1); }

template <auto value> struct Auto { static constexpr int size = sizeof(value); };
template <auto value> struct Told { static constexpr int what = 1; };
template <> struct Told<Op::sub> { static constexpr int what = 2; };
template <> struct Told<1> { static constexpr int what = 3; };
template <typename E> __device__ int last() { return int(E::BLUE); }
template <typename T> struct Holder {
    enum Inner { size = sizeof(T), next };
    Inner inner;
    static __device__ int twice(Inner i) { return i * 2; }
};

struct Instruction {
    Op op : 4;
    Colour colour : 3;
    int value;
    Op more[3];
};

__device__ double run(int i) {
    using Alias = Op;
    Instruction x{Op::sub, GREEN, i, {Op::add, Alias::mul, Op(i % 3)}};
    double sum = which(RED) + 10 * which(Op::add) + 100 * which(RED + 0) + 1000 * which(RED | BLUE);
    sum += 1e4 * narrow(FEW) + 1e5 * kind(RED) + 1e6 * kind(Op::add) + 1e7 * kind(+RED);
    sum += 7 * applied(x.op, i, 3);
    x.op = cycled(x.op);
    sum += 11 * applied(x.op, i, 3) + 13 * applied(x.more[2], x.value, 5);
    x.colour = x.colour | BLUE;
    Colour mixed = RED;
    mixed |= GREEN;
    sum += 107 * mixed;
    sum += 17 * x.colour + 19 * (x.colour & GREEN) + 23 * int(x.colour | RED);
    Op op = static_cast<Op>(i % 3);
    sum += 29 * int(op++) + 31 * int(++op) + 37 * !op + 41 * (op < Op::mul);
    sum += 43 * Auto<Op::sub>::size + 47 * Auto<1ll>::size + 53 * Auto<Wide::big>::size;
    sum += 59 * Told<1>::what + 61 * Told<Op::sub>::what + 67 * Told<1u>::what;
    sum += 71 * last<Colour>() + 73 * Holder<double>::twice(Holder<double>::next);
    Holder<int> holder{Holder<int>::size};
    sum += 79 * holder.inner + 83 * (Colour(-1) < RED) + 89 * double(Wide::big);
    constexpr Op twice = cycled(cycled(Op::add));
    auto less = [&](Op other) { return other < x.op; };
    for (auto one : x.more) sum += 97 * int(one) + 101 * less(one) + 103 * (one == twice);
    return sum + sizeof(Instruction) + (i & 1 ? RED : BLUE) - BLUE;
}
