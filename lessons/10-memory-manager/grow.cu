// An array that grows: n edges are inserted one after the other. It has room for 4
// at first. When it is full, an array of twice the room takes its place, behind all
// others, and the edges are copied.
// used[0]: places of all arrays so far; used[1]: edges copied so far. Both begin at 0.
extern "C" __global__ void grow(int n, int *memory, int *used) {
  int room = 4;
  int *own = memory;
  used[0] = room;
  #pragma unroll 1
  for (int edges = 0; edges < n; edges++) {
    if (edges == room) {
      int *larger = memory + used[0];
      #pragma unroll 1
      for (int i = 0; i < edges; i++) larger[i] = own[i];
      used[1] += edges;
      room = 2 * room;
      used[0] += room;
      own = larger;
    }
    own[edges] = edges;
  }
}
