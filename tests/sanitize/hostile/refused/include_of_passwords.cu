#include "/etc/passwd"
extern "C" __global__ void include_of_passwords(int *a) { a[0] = 42; }
