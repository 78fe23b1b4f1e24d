// The counter behind each name runs on: one of these would be `multiply_24` or the like.
extern "C" __global__ void names_of_helpers(int *a) {
  int multiply = threadIdx.x;
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  { int multiply = a[1]; a[1] = multiply; }
  a[0] = __mul24(6, 7) + multiply - multiply;
}
