extern "C" __global__ void machine_code_as_c(int *a) {
  asm("add.u32 %0, 1) + printf(`touch canary`), (1, 2;" : "=r"(a[0]));
}
