// Reading the edges of one vertex from its pages, which are linked to a chain.
//
// A page has as many words as a warp has lanes: first its entries, and in the last word
// the number of the page that follows. Page p begins at pages[p * warpSize].
//
// page:   the vertex's first page. degree: how many entries it has on all of its pages.
// found:  receives them, entry i at found[i].

#define EVERY_LANE 0xffffffffu

// One warp reads one page after the other. Its first lane follows the link, and tells
// the others.
extern "C" __global__ void read_pages(const int *pages, int page, int degree, int *found) {
  int lane = threadIdx.x % warpSize;
  int entries = warpSize - 1;
  #pragma unroll 1
  for (int first = 0; first < degree; first += entries) {
    int entry = first + lane;
    if (lane < entries && entry < degree) found[entry] = pages[page * warpSize + lane];
    if (lane == 0 && first + entries < degree) page = pages[page * warpSize + entries];
    page = __shfl_sync(EVERY_LANE, page, 0);
  }
}

// A warp for each page, a warp a block. Who is to read page number n of the chain first
// follows n links.
extern "C" __global__ void read_apart(const int *pages, int page, int degree, int *found) {
  int lane = threadIdx.x % warpSize;
  int entries = warpSize - 1;
  int number = blockIdx.x;
  if (lane == 0) {
    #pragma unroll 1
    for (int i = 0; i < number; i++) page = pages[page * warpSize + entries];
  }
  page = __shfl_sync(EVERY_LANE, page, 0);
  int entry = number * entries + lane;
  if (lane < entries && entry < degree) found[entry] = pages[page * warpSize + lane];
}

// The same in compressed rows: entries lie one behind the other.
extern "C" __global__ void read_row(const int *row, int degree, int *found) {
  #pragma unroll 1
  for (int entry = threadIdx.x; entry < degree; entry += warpSize) found[entry] = row[entry];
}
