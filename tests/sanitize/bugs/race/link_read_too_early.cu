// The first lane links a page to the last one; the others follow the link before they may.
extern "C" __global__ void link_read_too_early(volatile int *pages, int spare, int *out) {
  volatile int *page = pages;
  while (true) {
    bool last = page[7] == -1;
    __syncwarp();
    if (last && threadIdx.x == 0) page[7] = spare;  // BUG
#ifndef BUGGY
    __syncwarp();
#endif
    page = pages + page[7] * 8;  // BUG
    if (page[0] == 99) break;
  }
  out[threadIdx.x] = (int)(page - pages);
}
