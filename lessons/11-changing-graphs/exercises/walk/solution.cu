// One level of a search whose edges are on pages. A warp for each vertex of the frontier
// walks along the vertex's pages, and gives depth + 1 to all neighbours whose level is -1.
//
// A page has 32 words. First come entries, which are neighbours; the last word is the
// number of the page that follows. Page p begins at pages[32 * p]. On the last page of a
// vertex only as many entries count as `degree` says are left. What is behind them, and
// the link, is left over and means nothing: such a word may be no vertex and no page.
//
// frontier, size:          the vertices to visit; blocks are whole warps, and there may be
//                          more warps than vertices.
// first_page[v], degree[v]: v's first page, and how many entries it has on all of its pages.
// level[w]:                -1 where w was not visited.
//
// Each page is to be loaded once, by one request of the warp: its entries and its link.

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void walk(const int *frontier, int size, const int *first_page,
                                const int *degree, const int *pages, int *level, int depth) {
  int lane = threadIdx.x % 32;
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (i >= size) return;
  int v = frontier[i];
  int page = first_page[v];
  int left = degree[v];  // entries on this page and those that follow
  // BEGIN SOLUTION
  //| // Your code here: each lane loads its word of the page; who has the link?
  for (; left > 0; left -= 31) {
    int word = pages[32 * page + lane];
    if (lane < 31 && lane < left && level[word] < 0) level[word] = depth + 1;
    // The last lane has loaded the link. All lanes come here together.
    page = __shfl_sync(EVERY_LANE, word, 31);
  }
  // END SOLUTION
}
