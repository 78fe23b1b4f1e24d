extern "C" __global__ void names_in_machine_code(int *a) {
  int exec = 40;
  asm("{ .reg .b32 open, lanes_0, __import__; mov.b32 open, 2; mov.b32 __import__, %1;\n\t"
      "add.u32 lanes_0, open, __import__; mov.b32 %0, lanes_0; }" : "=r"(a[0]) : "r"(exec));
}
