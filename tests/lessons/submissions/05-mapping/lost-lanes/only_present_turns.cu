// wrong: a mask of the lanes that are left, which do not do the share of the others
// loses: result
// says: out[

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
  unsigned present = __ballot_sync(EVERY_LANE, degree > 0);
  if (degree == 0) return;
  int first_lane = threadIdx.x % 32 / WIDTH * WIDTH;
  for (int turn = 0; turn < WIDTH; turn++) {
    if (!(present >> (first_lane + turn) & 1)) continue;
    int from = __shfl_sync(__activemask(), begin, turn, WIDTH);
    int count = __shfl_sync(__activemask(), degree, turn, WIDTH);
    int target = __shfl_sync(__activemask(), to, turn, WIDTH);
    for (int k = lane; k < count; k += WIDTH) out[target + k] = neighbours[from + k];
  }
}
