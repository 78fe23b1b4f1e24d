// Loads are called as their array with a number behind: one would be a helper, `multiply_24`.
extern "C" __global__ void names_of_helpers(int *multiply) {
  int sum = multiply[1] + multiply[2] + multiply[3] + multiply[4] + multiply[5] +
            multiply[1] + multiply[2] + multiply[3] + multiply[4] + multiply[5] +
            multiply[1] + multiply[2] + multiply[3] + multiply[4] + multiply[5] +
            multiply[1] + multiply[2] + multiply[3] + multiply[4] + multiply[5] +
            multiply[1] + multiply[2] + multiply[3] + multiply[4] + multiply[5];
  multiply[0] = __mul24(6, 7 + threadIdx.x - threadIdx.x) + sum - sum;
}
