// What programs get of <type_traits>: all of it is of templates, as in any C++ library.
namespace std {

template <typename T, T v>
struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant<T, v>;
    __device__ constexpr operator T() const { return v; }
    __device__ constexpr T operator()() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <bool test, typename T = void>
struct enable_if {};
template <typename T>
struct enable_if<true, T> {
    using type = T;
};
template <bool test, typename T = void>
using enable_if_t = typename enable_if<test, T>::type;

template <bool test, typename A, typename B>
struct conditional {
    using type = A;
};
template <typename A, typename B>
struct conditional<false, A, B> {
    using type = B;
};
template <bool test, typename A, typename B>
using conditional_t = typename conditional<test, A, B>::type;

template <typename A, typename B>
struct is_same : false_type {};
template <typename T>
struct is_same<T, T> : true_type {};

template <typename T>
struct is_pointer : false_type {};
template <typename T>
struct is_pointer<T *> : true_type {};

template <typename T>
struct remove_pointer {
    using type = T;
};
template <typename T>
struct remove_pointer<T *> {
    using type = T;
};
template <typename T>
using remove_pointer_t = typename remove_pointer<T>::type;

template <typename T>
struct is_void : false_type {};
template <>
struct is_void<void> : true_type {};

template <typename T>
struct is_integral : false_type {};
template <>
struct is_integral<bool> : true_type {};
template <>
struct is_integral<char> : true_type {};
template <>
struct is_integral<signed char> : true_type {};
template <>
struct is_integral<unsigned char> : true_type {};
template <>
struct is_integral<short> : true_type {};
template <>
struct is_integral<unsigned short> : true_type {};
template <>
struct is_integral<int> : true_type {};
template <>
struct is_integral<unsigned int> : true_type {};
template <>
struct is_integral<long> : true_type {};
template <>
struct is_integral<unsigned long> : true_type {};
template <>
struct is_integral<long long> : true_type {};
template <>
struct is_integral<unsigned long long> : true_type {};

template <typename T>
struct is_floating_point : false_type {};
template <>
struct is_floating_point<float> : true_type {};
template <>
struct is_floating_point<double> : true_type {};

template <typename T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};

template <typename T, bool arithmetic>
struct __is_signed : false_type {};
template <typename T>
struct __is_signed<T, true> : bool_constant<(T(-1) < T(0))> {};
template <typename T>
struct is_signed : __is_signed<T, is_arithmetic<T>::value> {};
template <typename T>
struct is_unsigned : bool_constant<is_arithmetic<T>::value && !is_signed<T>::value> {};

template <typename T>
struct make_unsigned {};
template <>
struct make_unsigned<char> {
    using type = unsigned char;
};
template <>
struct make_unsigned<short> {
    using type = unsigned short;
};
template <>
struct make_unsigned<int> {
    using type = unsigned int;
};
template <>
struct make_unsigned<long> {
    using type = unsigned long;
};
template <>
struct make_unsigned<long long> {
    using type = unsigned long long;
};
template <typename T>
using make_unsigned_t = typename make_unsigned<T>::type;

template <typename A, typename B>
inline constexpr bool is_same_v = is_same<A, B>::value;
template <typename T>
inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T>
inline constexpr bool is_void_v = is_void<T>::value;
template <typename T>
inline constexpr bool is_integral_v = is_integral<T>::value;
template <typename T>
inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T>
inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <typename T>
inline constexpr bool is_signed_v = is_signed<T>::value;
template <typename T>
inline constexpr bool is_unsigned_v = is_unsigned<T>::value;

}  // namespace std
