extern "C" __global__ void unclosed_string(int *a) { a[0] = '\''; a[1] = "; import os
}
