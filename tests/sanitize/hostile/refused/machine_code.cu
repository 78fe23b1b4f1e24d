extern "C" __global__ void machine_code(int *a) {
  asm("mov.u32 %0, __import__('os').system('touch canary');" : "=r"(a[0]));
}
