// What programs get of <utility>. `move` and `forward` are built in.
namespace std {

// Sequences of integers as types; they are halved to be made.
template <typename T, T... numbers>
struct integer_sequence {
    using value_type = T;
    static __device__ constexpr size_t size() { return sizeof...(numbers); }
};
template <size_t... numbers>
using index_sequence = integer_sequence<size_t, numbers...>;

template <typename A, typename B>
struct __joined_sequences {};
template <typename T, T... first, T... second>
struct __joined_sequences<integer_sequence<T, first...>, integer_sequence<T, second...>> {
    using type = integer_sequence<T, first..., (sizeof...(first) + second)...>;
};
template <typename T, size_t n>
struct __sequence
    : __joined_sequences<typename __sequence<T, n / 2>::type, typename __sequence<T, n - n / 2>::type> {};
template <typename T>
struct __sequence<T, 0> {
    using type = integer_sequence<T>;
};
template <typename T>
struct __sequence<T, 1> {
    using type = integer_sequence<T, 0>;
};

template <typename T, T n>
using make_integer_sequence = typename __sequence<T, n>::type;
template <size_t n>
using make_index_sequence = make_integer_sequence<size_t, n>;
template <typename... Types>
using index_sequence_for = make_index_sequence<sizeof...(Types)>;

template <typename T>
__device__ void swap(T &a, T &b) {
    T first = a;
    a = b;
    b = first;
}
template <typename T, typename U = T>
__device__ T exchange(T &object, U value) {
    T before = object;
    object = value;
    return before;
}

template <typename A, typename B>
struct pair {
    using first_type = A;
    using second_type = B;
    A first;
    B second;
    __device__ constexpr pair() : first(), second() {}
    __device__ constexpr pair(A first, B second) : first(first), second(second) {}
    __device__ friend bool operator==(const pair &x, const pair &y) {
        return x.first == y.first && x.second == y.second;
    }
    __device__ friend bool operator!=(const pair &x, const pair &y) { return !(x == y); }
    __device__ friend bool operator<(const pair &x, const pair &y) {
        return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
    }
};
template <typename A, typename B>
__device__ pair<A, B> make_pair(A first, B second) {
    return pair<A, B>(first, second);
}

}  // namespace std
