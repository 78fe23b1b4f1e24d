// wrong: looks through a volatile pointer, and takes what may be gone
// loses: fault
// says: free_pages[-

// A stack of free pages, in the memory of the GPU: take some, and give them back.
//
// free_pages[0] up to free_pages[*top - 1] are the numbers of the pages that nobody
// has, and *top is how many they are. What stands behind them does not count.
//
// One launch only takes pages, or only gives some back. There is a thread for each
// of the n elements, and more. Each thread that changes *top does so by one atomic
// operation, or by two if it gets nothing.

#define NONE (-1)

// Thread i takes a page if wants[i] is not 0. page[i] becomes the page's number: NONE
// if no page is left, or none is wanted. No page goes to two threads, nobody goes
// without one while one is left, and *top is right afterwards: never below 0.
extern "C" __global__ void take_pages(const int *free_pages, int *top, const int *wants, int n,
                                      int *page) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  page[i] = NONE;
  if (wants[i]) {
    if (*(volatile int *)top > 0) page[i] = free_pages[atomicSub(top, 1) - 1];
  }
}

// Thread i gives page[i] back if done[i] is not 0, and page[i] is a page.
extern "C" __global__ void give_pages(int *free_pages, int *top, const int *done, int n,
                                      const int *page) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && done[i] && page[i] != NONE) free_pages[atomicAdd(top, 1)] = page[i];
}
