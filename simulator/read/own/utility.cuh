// What programs get of <utility>. Values are copied where C++ would move them.
namespace std {

template <typename T>
__device__ T move(const T &value) {
    return value;
}
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
