extern "C" __global__ void name_that_is_not_ascii(int *a) { int ｅxec = 42; a[0] = ｅxec; }
