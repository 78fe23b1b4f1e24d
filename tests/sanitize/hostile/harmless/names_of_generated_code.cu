// Names as generated code makes them.
__device__ int call_f_1(int R_x_1, int V_a_2) {
  int R_x_2 = R_x_1, lanes_0 = V_a_2, lanes = 0;
  for (int lanes_7 = 0; lanes_7 < lanes_0; lanes_7++) lanes += R_x_2;
  return lanes;
}

extern "C" __global__ void names_of_generated_code(int *V_a_2) {
  __shared__ int S_s_3[64];
  int flat_S_s_3 = threadIdx.x, address_S_s_3 = 6, R_x_1 = 7, p_a_1 = 0;
  S_s_3[flat_S_s_3] = R_x_1;
  __syncthreads();
  int budget = 1, gone = 0, log = 0, warp_size = 0, arguments = 0, launch = 0, np = 0;
  while (budget < 3) budget++;
  V_a_2[p_a_1] = call_f_1(S_s_3[(flat_S_s_3 + 1) % 64], address_S_s_3);
  V_a_2[1] = budget + gone + log + warp_size + arguments + launch + np;
}
