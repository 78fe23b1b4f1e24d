// What programs get of <limits>.
namespace std {

template <typename T>
struct numeric_limits {
    static constexpr bool is_specialized = false;
};

#define __LIMITS_OF(T, least, most, bits)                                                          \
    template <>                                                                                    \
    struct numeric_limits<T> {                                                                     \
        static constexpr bool is_specialized = true;                                               \
        static constexpr bool is_integer = true;                                                   \
        static constexpr bool is_exact = true;                                                     \
        static constexpr bool is_signed = (least < 0);                                             \
        static constexpr bool has_infinity = false;                                                \
        static constexpr int digits = bits;                                                        \
        static constexpr int radix = 2;                                                            \
        __device__ static constexpr T min() { return least; }                                      \
        __device__ static constexpr T lowest() { return least; }                                   \
        __device__ static constexpr T max() { return most; }                                       \
        __device__ static constexpr T epsilon() { return 0; }                                      \
    };
__LIMITS_OF(bool, false, true, 1)
__LIMITS_OF(char, CHAR_MIN, CHAR_MAX, 7)
__LIMITS_OF(signed char, SCHAR_MIN, SCHAR_MAX, 7)
__LIMITS_OF(unsigned char, 0, UCHAR_MAX, 8)
__LIMITS_OF(short, SHRT_MIN, SHRT_MAX, 15)
__LIMITS_OF(unsigned short, 0, USHRT_MAX, 16)
__LIMITS_OF(int, INT_MIN, INT_MAX, 31)
__LIMITS_OF(unsigned int, 0, UINT_MAX, 32)
__LIMITS_OF(long, LONG_MIN, LONG_MAX, 63)
__LIMITS_OF(unsigned long, 0, ULONG_MAX, 64)
__LIMITS_OF(long long, LLONG_MIN, LLONG_MAX, 63)
__LIMITS_OF(unsigned long long, 0, ULLONG_MAX, 64)
#undef __LIMITS_OF

#define __LIMITS_OF(T, least, most, step, smallest, infinite, nothing, bits)                       \
    template <>                                                                                    \
    struct numeric_limits<T> {                                                                     \
        static constexpr bool is_specialized = true;                                               \
        static constexpr bool is_integer = false;                                                  \
        static constexpr bool is_exact = false;                                                    \
        static constexpr bool is_signed = true;                                                    \
        static constexpr bool has_infinity = true;                                                 \
        static constexpr bool has_quiet_NaN = true;                                                \
        static constexpr int digits = bits;                                                        \
        static constexpr int radix = 2;                                                            \
        __device__ static constexpr T min() { return least; }                                      \
        __device__ static constexpr T lowest() { return -most; }                                   \
        __device__ static constexpr T max() { return most; }                                       \
        __device__ static constexpr T epsilon() { return step; }                                   \
        __device__ static constexpr T denorm_min() { return smallest; }                            \
        __device__ static constexpr T infinity() { return infinite; }                              \
        __device__ static constexpr T quiet_NaN() { return nothing; }                              \
    };
__LIMITS_OF(float, FLT_MIN, FLT_MAX, FLT_EPSILON, FLT_TRUE_MIN, CUDART_INF_F, NAN, 24)
__LIMITS_OF(double, DBL_MIN, DBL_MAX, DBL_EPSILON, DBL_TRUE_MIN, CUDART_INF, (double)NAN, 53)
#undef __LIMITS_OF

}  // namespace std
