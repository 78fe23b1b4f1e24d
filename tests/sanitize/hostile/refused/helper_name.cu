extern "C" __global__ void helper_name(int *a) { a[0] = count_nonzero(a); }
