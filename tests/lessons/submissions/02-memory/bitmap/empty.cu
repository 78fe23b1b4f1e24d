// wrong: empty
// loses: result
// says: bits[0] is wrong

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {}
