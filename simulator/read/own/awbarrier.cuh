// What programs get of <cuda_awbarrier_primitives.h>: the types.
typedef unsigned long __mbarrier_t;
typedef unsigned long __mbarrier_token_t;
