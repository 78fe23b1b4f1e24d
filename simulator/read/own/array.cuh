// What programs get of <array>.
namespace std {

template <typename T, size_t N>
struct array {
    T __elements[N];
    using value_type = T;
    using size_type = size_t;
    using iterator = T *;
    using const_iterator = const T *;

    __device__ T &operator[](size_t i) { return __elements[i]; }
    __device__ const T &operator[](size_t i) const { return __elements[i]; }
    __device__ T &at(size_t i) { return __elements[i]; }
    __device__ T &front() { return __elements[0]; }
    __device__ const T &front() const { return __elements[0]; }
    __device__ T &back() { return __elements[N - 1]; }
    __device__ const T &back() const { return __elements[N - 1]; }
    __device__ T *data() { return __elements; }
    __device__ const T *data() const { return __elements; }
    __device__ T *begin() { return __elements; }
    __device__ const T *begin() const { return __elements; }
    __device__ T *end() { return __elements + N; }
    __device__ const T *end() const { return __elements + N; }
    __device__ constexpr size_t size() const { return N; }
    __device__ constexpr size_t max_size() const { return N; }
    __device__ constexpr bool empty() const { return N == 0; }
    __device__ constexpr void fill(const T &value) {
        for (size_t i = 0; i < N; i++) __elements[i] = value;
    }
    __device__ friend constexpr bool operator==(const array &x, const array &y) {
        bool same = true;
        for (size_t i = 0; i < N; i++) same = same && x.__elements[i] == y.__elements[i];
        return same;
    }
    __device__ friend constexpr bool operator!=(const array &x, const array &y) {
        return !(x == y);
    }
};

}  // namespace std
