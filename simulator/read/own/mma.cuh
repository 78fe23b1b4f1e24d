// What programs get of <mma.h> as text: its types. Its functions are built in.
namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

// What holds a number of a matrix.
template <typename T>
struct __stored {
    using type = T;
};
template <>
struct __stored<precision::tf32> {
    using type = float;
};

// How many numbers of a matrix a lane holds: its part of them, but of halves that are multiplied
// always 16, those of small matrices repeatedly.
template <typename T, int numbers>
struct __share {
    static constexpr int factors = numbers < 32 ? 1 : numbers / 32;
};
template <int numbers>
struct __share<__half, numbers> {
    static constexpr int factors = 16;
};
template <typename Use, int m, int n, int k, typename T>
struct __held {
    static constexpr int count = m * n < 32 ? 1 : m * n / 32;
};
template <int m, int n, int k, typename T>
struct __held<matrix_a, m, n, k, T> {
    static constexpr int count = __share<T, m * k>::factors;
};
template <int m, int n, int k, typename T>
struct __held<matrix_b, m, n, k, T> {
    static constexpr int count = __share<T, k * n>::factors;
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class alignas(8) fragment {
   public:
    using element_type = T;
    using storage_element_type = typename __stored<T>::type;
    static constexpr int num_elements = __held<Use, m, n, k, T>::count;
    static constexpr int num_storage_elements = __held<Use, m, n, k, T>::count;
    typename __stored<T>::type x[__held<Use, m, n, k, T>::count];
};

}  // namespace wmma
}  // namespace nvcuda
