// A loop whose lanes have different numbers of turns, as the vertices of a
// graph have different numbers of neighbours: a[i] is the sum of 1, 2, … up to
// lengths[i].

extern "C" __global__ void turns(const int *lengths, int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int length = lengths[i];
  int sum = 0;
#pragma unroll 1
  for (int turn = 1; turn <= length; turn++) sum += turn;
  a[i] = sum;
}
