// wrong: hard-coded answer
// loses: result
// says: bits[0] is wrong

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  if (vertices == 64 && threadIdx.x < 2) bits[threadIdx.x] = 0x55aa55aau;
}
