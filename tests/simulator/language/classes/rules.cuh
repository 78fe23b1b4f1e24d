// Rules of C++ that are easy to get wrong: which names templates see, const arguments of templates,
// how far bases are, which conversions are asked for, what is copied, lambdas as pointers.
__device__ int x() { return 7; }
template <typename T> struct Base {
    T value;
    __device__ int x() const { return 1; }
};
template <typename T> struct Derived : Base<T> {
    __device__ int plain() const { return x(); }  // no member of a base that depends on T
    __device__ int own() const { return this->x(); }
    __device__ int named() const { return Base<T>::x(); }
};
struct Plain : Base<int> {
    __device__ int plain() const { return x(); }
};

template <typename A, typename B> struct Same { static constexpr bool value = false; };
template <typename A> struct Same<A, A> { static constexpr bool value = true; };
template <typename T> struct Const { static constexpr int value = 1; };
template <typename T> struct Const<const T> { static constexpr int value = 2; };
template <typename A, typename B> struct Pair { static constexpr int value = 1; };
template <typename A> struct Pair<A, A> { static constexpr int value = 2; };
template <typename A> struct Pair<const A, A> { static constexpr int value = 3; };
template <> struct Pair<int, int> { static constexpr int value = 4; };
using ConstInt = const int;
template <typename T> using Fixed = const T;

struct First { int first; };
struct Second : First { int second; };
struct Third : Second { int third; };
__device__ int far(const First *) { return 1; }
__device__ int far(const Second *) { return 2; }
__device__ int far(const void *) { return 3; }
__device__ int any(const First *) { return 4; }
__device__ int any(const void *) { return 5; }
__device__ int taken(const First &) { return 6; }
__device__ int taken(const Second &) { return 7; }
__device__ int none(const void *) { return 8; }
__device__ int none(bool) { return 9; }

struct Number {
    int n;
    __device__ explicit operator bool() const { return n > 3; }
    __device__ operator int() const { return n * 2; }
};
struct Counted {
    int n;
    __device__ Counted(int given) : n(given) {}
    __device__ Counted(const Counted &other) : n(other.n * 2) {}
};
struct More : Counted {
    __device__ More(int given) : Counted(given) {}
};
struct Empty {
    __device__ Empty(int *count) { *count += 1; }
};
struct Full : Empty {
    int value;
    __device__ Full(int *count) : Empty(count), value(*count) {}
};

using Function = int (*)(int);
__device__ int called(Function f, int n) { return f(n); }

__device__ double run(int i) {
    Derived<int> d{};
    Plain p{};
    double sum = d.plain() + 10 * d.own() + 100 * d.named() + 1000 * p.plain();
    sum += 3 * Same<const int, int>::value + 5 * Same<ConstInt, const int>::value;
    sum += 7 * Const<const float>::value + 11 * Const<float>::value + 13 * Const<ConstInt>::value;
    sum += 17 * Pair<float, float>::value + 19 * Pair<const float, float>::value;
    sum += 23 * Pair<int, int>::value + 29 * Const<Fixed<int>>::value;
    const int constant = i;
    sum += 31 * Same<decltype(constant), int>::value + 37 * Same<decltype(i), int>::value;
    Third third{};
    sum += 41 * far(&third) + 43 * far(&i) + 47 * any(&third) + 53 * taken(third) + 59 * none(&third);
    Number number{i};
    sum += 61 * (number + 1) + 67 * (number ? 1 : 2) + 71 * (number << 1) + 73 * bool(number);
    More more(i);
    Counted counted(3);
    counted = more;
    sum += 79 * counted.n;
    Counted &part = more;
    part = Counted(9);
    sum += 83 * more.n;
    int count = i;
    Full full(&count);
    sum += 89 * full.value + 97 * count;
    Function table[2] = {[](int n) { return n + 1; }, [](int n) { return n * 3; }};
    auto plus = +[](int n) { return n ^ 5; };
    auto kept = [](int n) { return n - 100; };
    sum += 101 * table[i & 1](i) + 103 * plus(i) + 107 * called(kept, i);
    return sum + called([](int n) { return n % 7; }, i);
}
