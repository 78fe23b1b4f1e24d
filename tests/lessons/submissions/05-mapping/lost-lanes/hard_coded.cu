// wrong: hard-coded answer
// loses: fault
// says: neighbours has

#define EVERY_LANE 0xffffffffu
#define WIDTH 8

// The neighbours of u are neighbours[offsets[u]] up to, not including,
// neighbours[offsets[u + 1]].
// frontier: its `size` vertices; thread t of the grid has frontier[t], and threads
//           behind the end have none. Blocks are whole warps.
// place[i]: where in `out` the neighbours of frontier[i] are wanted.
extern "C" __global__ void gather(const int *offsets, const int *neighbours, const int *frontier,
                                  const int *place, int size, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % WIDTH;
  int begin = 0, degree = 0, to = 0;
  if (i < size) {
    int u = frontier[i];
    begin = offsets[u];
    degree = offsets[u + 1] - begin;
    to = place[i];
  }

  if (i < 1000) out[i] = neighbours[i];
}
