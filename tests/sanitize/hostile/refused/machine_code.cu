extern "C" __global__ void machine_code(int *a) { asm("trap;"); }
