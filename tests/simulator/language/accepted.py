"""Programs that CUDA's compiler takes: forms of the language that are easily forgotten."""

from __future__ import annotations

#: What stands in a kernel with the parameters `int *a, int n`.
STATEMENTS = [
    # Names of any sort.
    r"int \u00e4 = n; a[0] = \u00e4;",
    r"struct \u00e4 { int \u00f6; }; \u00e4 x; x.\u00f6 = n; a[0] = x.\u00f6;",
    "int min = 2, abs = 3; a[0] = min + abs;",
    "int dim3 = 2; a[0] = dim3;",
    "int uint = 1, size_t = 2; a[0] = uint + size_t;",
    "float float4 = 2; a[0] = float4;",
    "int *uchar = a; uchar[0] = n;",
    "int &ulong = a[0]; ulong = n;",
    "for (int size_t = 0; size_t < 3; size_t++) a[size_t] = n; size_t x = 4; a[1] = x;",
    "{ int int2 = 3; a[0] = int2; } int2 x = {4, 5}; a[1] = x.y;",
    "typedef int T; { T T = 3; a[0] = T; } T x = n; a[1] = x;",
    "struct node { int node; struct node *next; }; struct node s; s.node = n; a[0] = s.node;",
    "struct point { int x; }; point point; point.x = n; a[0] = point.x;",
    "struct point { int x; }; int point = n; struct point p; p.x = point; a[0] = p.x;",
    "enum state { IDLE, BUSY }; enum state state = BUSY; a[0] = state;",
    "struct S { int float4, uint; }; S s; s.float4 = n; a[0] = s.float4;",
    # Declared in parentheses.
    "if (int x = a[0]) a[1] = x; else a[2] = x;",
    "if (int x = a[0]; x > 0) a[1] = x;",
    "if (int x = a[0], y = a[1]; x > y) a[2] = x;",
    "if (int x = a[0]; int y = x + 1) a[1] = x + y;",
    "if (const unsigned x = a[0]) a[1] = x;",
    "if (int x{a[0]}) a[1] = x;",
    "if (int *p = a) *p = 1;",
    "if (int &x = a[0]; x) x = 3;",
    "if (auto x = a[0]; x) a[1] = x;",
    "auto x{n}; const auto y{a[x]}; auto *p{a}; if (auto z{p[0]}) p[1] = z + y;",
    "if (; n > 0) a[1] = n;",
    "int x; if (x = a[0]; x > 0) a[1] = x;",
    "if (typedef int T; T x = n) a[1] = x;",
    "if constexpr (constexpr int x = 3; x > 2) a[0] = x;",
    "while (int x = a[0]) a[0] = x - 1;",
    "for (int i = 0; int x = a[i]; i++) a[i] = x + 1;",
    "switch (int x = a[0]) { case 1: a[1] = x; }",
    "switch (int x = a[0]; x & 3) { case 1: a[1] = x; }",
    # Attributes.
    "[[maybe_unused]] int x = 3;",
    "int x [[maybe_unused]] = 3; a[0] = x;",
    "[ [maybe_unused] ] int x = 3;",
    "[[]] int x = 3; a[0] = x;",
    "[[unknown, gnu::unused]] int x = 3; a[0] = x;",
    "[[using gnu: unused]] int x = 3; a[0] = x;",
    '[[deprecated("why (not)")]] int x = 3; a[0] = x;',
    "if (n > 0) [[likely]] a[0] = 1; else [[unlikely]] { a[0] = 2; }",
    "while (n--) [[likely]] { a[n] = 1; }",
    "for ([[maybe_unused]] int i = 0; i < n; i++) a[0] = 1;",
    "switch (n) { case 1: a[0] = 1; [[fallthrough]]; case 2: a[1] = 1; }",
    "switch (n) { [[likely]] case 1: a[0] = 1; break; default: [[unlikely]] a[0] = 2; }",
    "int *[[unknown]] p = a; p[0] = n; int [[unknown]] x = 3; a[1] = x;",
    "[[likely]] return;",
    "a[a[a[0]]] = n;",
    # What the preprocessor passes over, and joins.
    "\n#pragma omp parallel for\n a[0] = n;",
    "\n#pragma GCC diagnostic push\n#pragma nv_diag_suppress 177\n a[0] = n;",
    "\n#pragma\n#pragma 12\n a[0] = n;",
    '_Pragma("unroll") for (int i = 0; i < n; i++) a[i] = 1;',
    '_Pragma("unroll 4") for (int i = 0; i < 4; i++) a[i] = 1; _Pragma("nothing") a[0] = n;',
    "\n#line 100\n a[0] = __LINE__;",
    '\n#line 100 "other.cu"\n a[0] = __LINE__; printf("%s", __FILE__);',
    '\n# 33 "other.cu"\n a[0] = __LINE__;',
    '\n#warning "slow"\n#ident "1"\n#\n a[0] = n;',
    'printf("one\\\n two");',
    "int val\\\nue = 12\\\n34; value +\\\n= 1; a[0] = value;",
    "// a comment \\\n goes on\n a[0] = n;",
    "/\\\n/ a comment\n a[0] = n; /* another *\\\n/",
    "\n#def\\\nine FOO 1 + \\\n 2\n a[0] = FOO;",
    # Results of operators that have a place.
    "int x = 1, y = 2; (n ? x : y) = 3; a[0] = x + y;",
    "int x = 1, y = 2; (n ? x : y) += 3; (n ? x : y)++; --(n ? x : y); a[0] = x + y;",
    "int x = 1, y = 2; int *p = &(n ? x : y); *p = 3; a[0] = x + y;",
    "int x = 1, y = 2; int &p = n ? x : y; p = 3; a[0] = x + y;",
    "(n ? a[0] : a[1]) = 3; atomicAdd(&(n ? a[0] : a[1]), 3);",
    "int x = 1; (x = 2) = 3; ++x = 3; ++++x; (x += 2) *= 3; int *p = &(x = 3); a[0] = *p;",
    # Words in front of shared variables.
    "__device__ __shared__ int s[32]; s[threadIdx.x] = 1; a[0] = s[0];",
    "__shared__ __device__ int s[32]; s[threadIdx.x] = 1; a[0] = s[0];",
    "static __shared__ int s[32]; int __shared__ t; a[0] = s[0] + t;",
    "__shared__ static volatile int s[32]; a[0] = s[0];",
    "extern __shared__ __device__ int s[]; a[0] = s[0];",
    # Names of types of functions.
    "typedef int (*F)(int); a[0] = n;",
    "typedef void (*F)(float *, int), (*G)(); a[0] = n;",
    "typedef int F(int x, float y); a[0] = n;",
    "using F = int (*)(int); using G = int(int); using H = void (*)(); a[0] = n;",
    # Structured bindings, lists as ranges, `decltype`, references that are cast to.
    "int2 p = {1, n}; auto [x, y] = p; auto &[u, v] = p; u = 3; a[0] = x + y + p.x + v;",
    "int t[2] = {1, n}; auto &&[x, y] = t; x = 2; for (auto [u, v] = t; u < 3; u++) a[v] = u;",
    "for (int x : {1, 2, n}) a[x] = x; for (auto &x : {1.5f}) a[0] = x;",
    "decltype(n) x = 3; decltype(a) p = a; decltype(x + 0.5f) y = 1; p[0] = x + y;",
    "const int *p = a; int &r = const_cast<int &>(*p); r = reinterpret_cast<unsigned &>(a[1]);",
    "float x = 1; a[0] = reinterpret_cast<int &>(x); a[1] = static_cast<int &&>(n);",
    # Specifiers in any order.
    "unsigned const long x = 3; long unsigned int y = 2; int const z = 1; a[0] = x + y + z;",
    "static constexpr int t[2] = {1, 2}; static const int u = 3; a[0] = t[1] + u;",
]

_KERNEL = '\nextern "C" __global__ void k(int *a, int n) { a[0] = n; }\n'
_POINT = "typedef struct point { float x, y; } Point; "

#: What stands before a kernel.
FILES = [
    "__device__ __constant__ float c[4];",
    "__constant__ __device__ float c[4] = {1, 2};",
    "static __device__ __constant__ const float c[4] = {1, 2, 3, 4};",
    "int __device__ d = 3; __device__ static int e;",
    "__forceinline__ __device__ int f(int x) { return x; }",
    "inline static __device__ int f(int x) { return x; }",
    "int __device__ f(int x) { return x; } void __global__ g(int *x) { *x = f(1); }",
    "__launch_bounds__(128) __global__ void g(int *x) { *x = 1; }",
    "__global__ __launch_bounds__(128, 2) void g(int *x) { *x = 1; }",
    "__global__ void g(int *const __restrict__ x, int const *__restrict__ const y) { *x = *y; }",
    f"{_POINT}__global__ void g(Point *point) {{ point[0].x = 1; }}",
    f"{_POINT}__global__ void g(struct point *point, Point Point) {{ point->x = Point.y; }}",
    f"{_POINT}__device__ int point(int x) {{ return x; }}",
    "typedef struct Node Node; struct Node { int v; Node *next; };",
    "typedef struct Node { int v; struct Node *next; } Node;",
    "struct A { struct B *b; }; struct B { int x; };",
    "typedef int Weight; struct S { Weight Weight; };",
    "__global__ void g(int *a, int dim3, int uint) { a[0] = dim3 + uint; }",
    "__device__ int f(dim3 dim3) { return dim3.x; }",
    "typedef int T; __global__ void g(int *a, T T) { a[0] = T; }",
    "typedef int N; template <int N> __device__ int f(int x) { return x + N; }",
    "struct P { int x; }; __global__ void g(int *a, const __grid_constant__ P p) { a[0] = p.x; }",
    "__global__ void g(int *a, __grid_constant__ const int x, int const __grid_constant__ y) { }",
    "struct P { int x; }; __device__ int f(const P *p) { return p->x; }"
    " __global__ void g(int *a, const __grid_constant__ P p) { a[0] = f(&p); }",
    "typedef int (*F)(int); using G = float (*)(float, const int *);",
    "__constant__ unsigned c[2][3]; __device__ unsigned f(unsigned *p) { return *p; }"
    " __global__ void g(unsigned *a) { a[0] = f(&c[1][0]) + f(c[1]) + f(*c); }",
    "__constant__ int c; __global__ void g(int *a) { int *p = &c; int &r = c; a[0] = *p + r; }",
    "struct P { int x, y[2]; }; __constant__ P c[3]; __global__ void g(int *a)"
    " { P *p = c; int *q = &c[1].x; int *r = c[0].y; a[0] = p[1].x + *q + r[1]; }",
    "__device__ int f(int x) { if (x) return 1; }",
    "__device__ int f(int x) { if (x) return 1; return; }",
    "__device__ int f(int x) { if (x) return 1; __trap(); }",
    "template <typename T> __device__ T f(T x) { if (x) return 1; }"
    " __global__ void g(int *a) { a[0] = f(1); }",
    "[[nodiscard]] __device__ int f(int x) { return x; }",
    "__device__ [[nodiscard]] int f [[nodiscard]] (int x) [[unknown]] { return x; }",
    "[[noreturn]] __device__ void f(int x) { __trap(); }",
    'extern "C" [[maybe_unused]] __global__ void g(int y [[maybe_unused]]) { }',
    "__global__ void g([[maybe_unused]] int x, const int *y [[maybe_unused]]) { }",
    "struct [[nodiscard]] S { [[maybe_unused]] int x; int y [[maybe_unused]]; };",
    "enum [[nodiscard]] E { A [[deprecated]], B }; enum class [[nodiscard]] F { A, B };",
    "namespace [[deprecated]] foo { __device__ int f() { return 1; } }",
    "using T [[maybe_unused]] = int; [[maybe_unused]] typedef int U;",
    "template <typename T> [[nodiscard]] __device__ T f(T x) { return x; }",
    "[[unknown]];",
    '#define UNROLL _Pragma("unroll")\n__global__ void g(int *a) { UNROLL for (;;) a[0] = 1; }',
    "#pragma diag_suppress 177\n#pragma hd_warning_disable\n#pragma STDC FP_CONTRACT OFF\n",
    "#line 40\nstatic_assert(__LINE__ == 40);",
    "#define WHERE 40\n#line WHERE\nstatic_assert(__LINE__ == 40);\n\n"
    "static_assert(__LINE__ == 42);",
    # Templates.
    "template <typename T> struct X { T x; }; extern template struct X<int>;"
    " template struct X<int>; template <typename T> __global__ void g(T *a) { a[0] = 1; }"
    " template __global__ void g<float>(float *);",
    "template <int (*F)(int) = nullptr, typename T = int> struct S { static __device__ int g(T x)"
    " { return F(x); } }; __device__ int h(int x) { return x; }"
    " __global__ void g(int *a) { a[0] = S<h>::g(3); }",
    "#include <cuda/std/type_traits>\nusing namespace cuda::std;"
    " template <typename T> __device__ enable_if_t<sizeof(T) == 4> f(T)"
    " { } template <typename T> __device__ enable_if_t<sizeof(T) == 8, int> f(T) { return 8; }"
    " __global__ void g(int *a) { f(1); a[0] = f(1.0); }",
    "template <typename T> __device__ auto f(T x) -> decltype(x.size()) { return 1; }"
    " template <typename T> __device__ auto f(T x) -> decltype(x + 1) { return 2; }"
    " __global__ void g(int *a) { a[0] = f(1); }",
    "template <typename T> __device__ void f(T x) noexcept(sizeof(T) == 4) { }"
    " __device__ int g() noexcept(true) { f(1); return 1; }",
    "template <typename F> __device__ auto f(F g) { return g(); }"
    " __global__ void g(int *a) { f([=] { a[0] = 1; }); }",
    "struct S { static __device__ int f(int x) { return x; } }; template <int (*F)(int)>"
    " __device__ int call(int x) { return F(x); }"
    " __global__ void g(int *a) { a[0] = call<S::f>(3) + call<&S::f>(4); }",
    "struct S { static __device__ constexpr int f(int x) { return x; } };"
    " __constant__ int t[2] = {S::f(1), S::f(2)}; __device__ int d = S::f(3);",
    "__device__ __attribute__((noinline)) int f() { return 1; }"
    ' __attribute__((unused, visibility("default"))) __device__ int g();',
    # Namespaces.
    "namespace a { inline namespace v1 { struct S { int x; }; __device__ int f() { return 1; } }"
    " __device__ int g() { return f(); } } namespace b { using namespace a; __device__ int h()"
    " { return f() + a::v1::f(); } } using a::f; __device__ int g()"
    " { a::S s{1}; a::v1::S t{2}; return a::f() + s.x + t.x + b::h() + f(); }",
    "inline namespace v1 { __device__ int f() { return 1; } }"
    " __device__ int g() { return f() + v1::f() + ::f(); }",
    "namespace a::b { inline namespace c { __device__ int f() { return 1; } } }"
    " __device__ int g() { return a::b::f() + a::b::c::f(); }",
    # Types that begin a list of values declare nothing.
    "enum class Op { A }; struct F { unsigned c; int b; Op o; }; __device__ F g(int x)"
    " { F f{unsigned(x) & 7u, x - 8, Op(x & 1)}; F h = F{unsigned(x) & 1u, x, Op(x & 1)};"
    " return F{unsigned(f.c) & 3u, h.b, Op(x & 1)}; }",
    # Functions of the namespaces that the types of arguments are from.
    "namespace q { struct X { int v; }; __device__ int h(X x) { return x.v; }"
    " __device__ int p(const X *x) { return x->v; } }"
    " __device__ int g(int i) { q::X x{i}; return h(x) + p(&x); }",
    # Lambdas without captures are pointers to functions where these are wanted.
    "__device__ int g(int i) { int (*f)(int) = [](int x) { return x + 1; };"
    " auto h = +[](int x) { return x * 2; }; return f(i) + h(i); }",
    # Names that a class uses of a base which depends on its template.
    "template <typename T> struct B { T x; using V = T; __device__ T f() { return x; } };"
    " template <typename T> struct C : B<T> { using B<T>::x; using typename B<T>::V;"
    " using B<T>::f; __device__ V g() { return x + f(); } };"
    " __device__ int g() { C<int> c{}; return c.g(); }",
    "#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;"
    " __global__ void g(int *a) { auto t = cg::tiled_partition<32>(cg::this_thread_block());"
    " a[0] = cg::reduce(t, 1, cg::plus<int>()); }",
]

ACCEPTED = [
    *(f'extern "C" __global__ void k(int *a, int n) {{ {text} }}\n' for text in STATEMENTS),
    *(text + _KERNEL for text in FILES),
]
