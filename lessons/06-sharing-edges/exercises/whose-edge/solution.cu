// Every thread gets one edge of the frontier, and finds out whose it is.
//
// The edges of a level are numbered in the order of the frontier: the vertex at
// place i has those from prefix[i] up to the next place's. Thread e of the grid
// has edge e, if there is one, and writes
//   place[e]  the place in the frontier of the vertex that has edge e,
//   far[e]    the vertex at the edge's other end.
//
// frontier:    `size` vertices, at least one.
// prefix[i]:   how many edges the vertices before place i have; `size` numbers.
// edges:       how many all have, at least one. Vertices may have none.
// offsets, neighbours: the graph in compressed sparse rows: the neighbours of u
//              begin at neighbours[offsets[u]].

// The place in the frontier of the vertex that has edge e. Among 1000 vertices no
// thread needs to look at more than 10.
__device__ int place_of(const int *prefix, int size, int e) {
  // BEGIN SOLUTION
  //| // Your code here.
  //| return 0;
  // prefix[low] is not above e; from `high` on all are.
  int low = 0;
  int high = size;
  while (low + 1 < high) {
    int middle = (low + high) / 2;
    if (prefix[middle] <= e) low = middle;
    else high = middle;
  }
  return low;
  // END SOLUTION
}

extern "C" __global__ void whose_edge(const int *offsets, const int *neighbours,
                                      const int *frontier, const int *prefix, int size,
                                      int edges, int *place, int *far) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| // Your code here.
  if (e < edges) {
    int i = place_of(prefix, size, e);
    place[e] = i;
    far[e] = neighbours[offsets[frontier[i]] + e - prefix[i]];
  }
  // END SOLUTION
}
