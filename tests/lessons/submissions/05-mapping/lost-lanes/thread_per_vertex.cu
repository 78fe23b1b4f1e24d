// wrong: no shuffle: each thread copies its own
// loses: limit
// says: load_sectors is

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

  for (int k = 0; k < degree; k++) out[to + k] = neighbours[begin + k];
}
