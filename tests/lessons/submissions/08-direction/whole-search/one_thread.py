# wrong: one thread does all
# loses: limit
# says: the result is right, but work.maximum is

from gpubfs.host import DeviceGraph, Host, SearchResult

KERNEL = r"""
extern "C" __global__ void all(const int *offsets, const int *neighbours, int *level, int *queue,
                               int first, int last, int *end) {
  *end = last;
  for (int i = first; i < last; i++) {
    for (int e = offsets[queue[i]]; e < offsets[queue[i] + 1]; e++) {
      int w = neighbours[e];
      if (level[w] >= 0) continue;
      level[w] = level[queue[i]] + 1;
      queue[(*end)++] = w;
    }
  }
}
"""


def search(host: Host, graph: DeviceGraph, source: int) -> SearchResult:
    level = host.levels(graph.vertices, source)
    queue = host.queue("queue", graph.vertices, source)
    end = host.full("end", 1, 1)
    first, last, depth = 0, 1, 0
    while first < last:
        host.level(depth, last - first)
        arrays = graph.offsets, graph.neighbours, level, queue
        host.launch("all", 1, 1, (*arrays, first, last, end))
        first, last, depth = last, host.read_int(end), depth + 1
    return SearchResult(level)
