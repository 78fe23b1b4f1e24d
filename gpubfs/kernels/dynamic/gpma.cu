// gpma: a packed memory array that takes edges in batches.
//
// A batch is sorted. Each of its keys looks for the leaf where it belongs; what is there
// already is changed in place, and an edge that is deleted stays there as deleted. All
// others are groups, one for each leaf. Height by height, a group whose node has room
// for it is merged with the node's edges and spread evenly over the node, without those
// deleted; other groups go up to their node's parent. Where the root is full, the array
// doubles.

#include "packed_memory.cuh"
#include "radix_sort.cuh"

// What becomes of the keys of a batch: indices into `outcomes`.
#define REPEATED 0  // stands in the batch before
#define PRESENT 1   // is in the graph already
#define REVIVED 2   // was deleted, and is in the graph again
#define REMOVED 3   // was in the graph, and is deleted
#define ABSENT 4    // was not in the graph

// ---- The graph that the array begins with, and a batch as keys.

// The row in which entry i of a graph lies, whose rows have a sentinel behind each.
__device__ int row_of_entry(const int *offsets, int vertices, long long i) {
  int low = 0;
  int high = vertices - 1;
  #pragma unroll 1
  while (low < high) {
    int middle = low + (high - low) / 2;
    if ((long long)offsets[middle + 1] + middle + 1 <= i) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A thread for each edge and each sentinel.
// offsets, neighbours: a graph in compressed sparse rows, each of them sorted.
// edge_columns:        what its edges have besides their ends.
// keys, columns:       receive the graph's edges and sentinels, without gaps.
extern "C" __global__ void keys_of_rows(const int *offsets, const int *neighbours, int vertices,
                                        const int *edge_columns, edge_key *keys, int *columns) {
  long long i = grid_thread();
  long long edges = offsets[vertices];
  if (i >= edges + vertices) return;
  int row = row_of_entry(offsets, vertices, i);
  long long e = i - row;
  bool ends = e == offsets[row + 1];
  keys[i] = key_of(row, ends ? ROW_END : (unsigned)neighbours[e]);
  if (!ends) copy_columns(edge_columns, edges, e, columns, edges + vertices, i);
}

// keys[i]:  receives the key of update i.
// order[i]: receives i.
extern "C" __global__ void keys_of_updates(const int *sources, const int *targets, int count,
                                           edge_key *keys, int *order) {
  long long i = grid_thread();
  if (i >= count) return;
  keys[i] = key_of(sources[i], (unsigned)targets[i]);
  order[i] = (int)i;
}

// ---- Each update finds its leaf, and what is there already is changed in place.

// The leaf in which a key is, or belongs: the last one whose first key is not above it,
// and the first leaf if there is none. Leaves may be empty.
__device__ int leaf_of(const edge_key *keys, int leaves, int leaf_bits, edge_key key) {
  int low = 0;
  int high = leaves;
  #pragma unroll 1
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    long long p = (long long)middle << leaf_bits;
    long long end = (long long)high << leaf_bits;
    edge_key first = keys[p];
    #pragma unroll 1
    while (first == NO_KEY && ++p < end) first = keys[p];
    if (first <= key) {
      low = (int)(p >> leaf_bits);
    } else {
      high = middle;  // there is no key, or it is above: NO_KEY is above all
    }
  }
  return low;
}

// Where in a leaf a key is, or -1.
__device__ long long position_of(const edge_key *keys, int leaf, int leaf_bits, edge_key key) {
  long long p = (long long)leaf << leaf_bits;
  long long end = p + (1ll << leaf_bits);
  #pragma unroll 1
  while (p < end && keys[p] != key) p++;
  return p < end ? p : -1;
}

// Whether update i is the first of its key in a sorted batch. Others are counted.
__device__ bool is_first(const edge_key *updates, long long i, int *outcomes) {
  bool first = i == 0 || updates[i - 1] != updates[i];
  if (!first) atomicAdd(&outcomes[REPEATED], 1);
  return first;
}

// updates, order: a sorted batch, and where each update was in the batch as it came.
// new_columns:    what its edges have besides their ends, in the order as they came.
// pending[i]:     receives 1 if update i is to be merged, else 0; pending[count] is 0.
// leaf[i]:        receives the leaf where it belongs then.
extern "C" __global__ void insert_in_place(const edge_key *keys, unsigned *values,
                                           int *attributes, int leaves, int leaf_bits,
                                           const edge_key *updates, const int *order,
                                           const int *new_columns, int count, int *pending,
                                           int *leaf, int *outcomes) {
  long long i = grid_thread();
  if (i > count) return;
  pending[i] = 0;
  if (i == count || !is_first(updates, i, outcomes)) return;
  leaf[i] = leaf_of(keys, leaves, leaf_bits, updates[i]);
  long long p = position_of(keys, leaf[i], leaf_bits, updates[i]);
  if (p < 0) {
    pending[i] = 1;
  } else if (values[p] != DELETED) {
    atomicAdd(&outcomes[PRESENT], 1);
  } else {
    values[p] = LIVE;
    copy_columns(new_columns, count, order[i], attributes, (long long)leaves << leaf_bits, p);
    atomicAdd(&outcomes[REVIVED], 1);
  }
}

// Edges of a sorted batch are deleted where they are.
extern "C" __global__ void delete_in_place(const edge_key *keys, unsigned *values, int leaves,
                                           int leaf_bits, const edge_key *updates, int count,
                                           int *outcomes) {
  long long i = grid_thread();
  if (i >= count || !is_first(updates, i, outcomes)) return;
  int leaf = leaf_of(keys, leaves, leaf_bits, updates[i]);
  long long p = position_of(keys, leaf, leaf_bits, updates[i]);
  if (p >= 0 && values[p] != DELETED) {
    values[p] = DELETED;
    atomicAdd(&outcomes[REMOVED], 1);
  } else {
    atomicAdd(&outcomes[ABSENT], 1);
  }
}

// ---- Updates that are pending are grouped by the nodes of one height.
//
// Flags become places by an exclusive sum: how many of those before i are flagged. So i
// was flagged if places[i + 1] is one more than places[i].

__device__ __forceinline__ bool is_flagged(const int *places, long long i) {
  return places[i + 1] != places[i];
}

// Closes up the updates that are pending.
extern "C" __global__ void keep_pending(const edge_key *updates, const int *order,
                                        const int *leaf, int count, const int *places,
                                        edge_key *kept, int *kept_order, int *kept_leaf) {
  long long i = grid_thread();
  if (i >= count || !is_flagged(places, i)) return;
  int place = places[i];
  kept[place] = updates[i];
  kept_order[place] = order[i];
  kept_leaf[place] = leaf[i];
}

// heads[i]: receives 1 if update i is the first of its node, else 0; heads[count] receives
//           0. A node of this height has 2^height leaves.
extern "C" __global__ void mark_heads(const int *leaf, int count, int height, int *heads) {
  long long i = grid_thread();
  if (i > count) return;
  heads[i] = i < count && (i == 0 || leaf[i - 1] >> height != leaf[i] >> height);
}

// Group g has the updates from begins[g] to begins[g + 1], which belong into node nodes[g].
extern "C" __global__ void group_by_node(const int *leaf, int count, int height,
                                         const int *places, int *nodes, int *begins) {
  long long i = grid_thread();
  if (i == count) begins[places[count]] = count;
  if (i >= count || !is_flagged(places, i)) return;
  nodes[places[i]] = leaf[i] >> height;
  begins[places[i]] = (int)i;
}

// ---- Groups whose nodes have room are merged.
//
// `node_bits` says how long a node is, 2^node_bits positions. The nodes of all groups
// lie behind each other in `before`: a thread for each of their positions.

// The position in the array that is position t of the groups' nodes.
__device__ long long position_in(const int *nodes, int node_bits, long long t) {
  return ((long long)nodes[t >> node_bits] << node_bits) + (t & ((1ll << node_bits) - 1));
}

// live[t]: receives 1 if there is an edge, or a sentinel, at position t of the nodes;
//          live[groups << node_bits] receives 0.
extern "C" __global__ void mark_live(const edge_key *keys, const unsigned *values,
                                     const int *nodes, int groups, int node_bits, int *live) {
  long long t = grid_thread();
  long long positions = (long long)groups << node_bits;
  if (t > positions) return;
  live[t] = t < positions && is_live(keys, values, position_in(nodes, node_bits, t));
}

// before[t]: how many are live before position t.
// packed:    receives the live ones of all nodes, without gaps.
extern "C" __global__ void pack_live(const edge_key *keys, const int *attributes,
                                     long long positions, const int *nodes, int groups,
                                     int node_bits, const int *before, edge_key *packed,
                                     int *packed_columns) {
  long long t = grid_thread();
  long long end = (long long)groups << node_bits;
  if (t >= end || !is_flagged(before, t)) return;
  long long p = position_in(nodes, node_bits, t);
  edge_key key = keys[p];
  packed[before[t]] = key;
  if (column_of(key) != ROW_END) {
    copy_columns(attributes, positions, p, packed_columns, before[end], before[t]);
  }
}

// A thread for each group.
// lower, upper: the least and the most that a node of this height may have.
// merged[g]:    receives what its node has once it is merged, or 0 if the group goes up.
// rebalances:   receives how many groups are merged.
extern "C" __global__ void decide(const int *before, const int *begins, int groups,
                                  int node_bits, int lower, int upper, int *merged,
                                  int *rebalances) {
  long long g = grid_thread();
  if (g >= groups) return;
  int live = before[(g + 1) << node_bits] - before[g << node_bits];
  int size = live + begins[g + 1] - begins[g];
  bool fits = lower <= size && size <= upper;
  merged[g] = fits ? size : 0;
  if (fits) atomicAdd(rebalances, 1);
}

// Which updates stay pending.
// places:     the sums of mark_heads, which tell the group of each update.
// pending[i]: receives 1 if the group of update i goes up, else 0; pending[count] is 0.
extern "C" __global__ void mark_pending(const int *places, const int *merged, int count,
                                        int *pending) {
  long long i = grid_thread();
  if (i > count) return;
  pending[i] = i < count && merged[places[i + 1] - 1] == 0;
}

// How many of the first `rank` keys of two sorted arrays, merged, are the first's.
__device__ int share_of_first(const edge_key *first, int first_size, const edge_key *second,
                              int second_size, int rank) {
  int low = max(0, rank - second_size);
  int high = min(rank, first_size);
  #pragma unroll 1
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (first[middle] < second[rank - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Which of `size` keys, spread evenly over 2^node_bits positions, comes to a position;
// -1 if none does: key k comes to position k * 2^node_bits / size, rounded down.
__device__ int rank_at(long long position, int size, int node_bits) {
  long long length = 1ll << node_bits;
  long long rank = (position * size + length - 1) >> node_bits;
  return rank * length < (position + 1) * size ? (int)rank : -1;
}

// Where the keys of nodes come from.
// packed: the live keys of nodes as they were, without gaps, and what they have besides.
// added:  updates, for each where it was in the batch as it came, and what batch it was.
struct Keys {
  const edge_key *packed;
  const int *packed_columns;
  int packed_size;
  const edge_key *added;
  const int *order;
  const int *new_columns;
  int batch_size;
};

// The array that is filled, packed_memory.cuh says with what.
struct Array {
  edge_key *keys;
  unsigned *values;
  int *attributes;
  int *row_offsets;
  long long positions;
};

// Writes a key of a rank to position p: of the merged packed[first] up to packed[last]
// and added[begin] up to added[end].
__device__ void fill_position(Array array, long long p, int rank, Keys from, int first, int last,
                              int begin, int end) {
  int own = first + share_of_first(&from.packed[first], last - first, &from.added[begin],
                                   end - begin, rank);
  int other = begin + rank - (own - first);
  bool is_own = other >= end || (own < last && from.packed[own] < from.added[other]);
  edge_key key = is_own ? from.packed[own] : from.added[other];
  array.keys[p] = key;
  array.values[p] = LIVE;
  if (column_of(key) == ROW_END) {
    array.row_offsets[row_of(key) + 1] = (int)p;
  } else if (is_own) {
    copy_columns(from.packed_columns, from.packed_size, own, array.attributes, array.positions,
                 p);
  } else {
    copy_columns(from.new_columns, from.batch_size, from.order[other], array.attributes,
                 array.positions, p);
  }
}

// Fills nodes anew: a thread for each of their positions, of which those that get no key
// become gaps.
// merged[g]: how many keys node nodes[g] gets; 0 if it stays as it is.
// before:    how many packed keys there are before each position of the nodes that they
//            come from, which have 2^packed_bits positions.
// begins[g]: the first update of group g; the next group's is its end.
extern "C" __global__ void spread(edge_key *keys, unsigned *values, int *attributes,
                                  int *row_offsets, long long positions, const int *nodes,
                                  int groups, int node_bits, const int *merged,
                                  const edge_key *packed, const int *packed_columns,
                                  const int *before, int packed_bits, const edge_key *added,
                                  const int *order, const int *new_columns, int batch_size,
                                  const int *begins) {
  long long t = grid_thread();
  if (t >= (long long)groups << node_bits) return;
  long long g = t >> node_bits;
  if (merged[g] == 0) return;
  long long p = position_in(nodes, node_bits, t);
  int rank = rank_at(t & ((1ll << node_bits) - 1), merged[g], node_bits);
  if (rank < 0) {
    keys[p] = NO_KEY;
    return;
  }
  Array array = {keys, values, attributes, row_offsets, positions};
  Keys from = {packed, packed_columns, before[(long long)groups << packed_bits], added,
               order,  new_columns,    batch_size};
  fill_position(array, p, rank, from, before[g << packed_bits], before[(g + 1) << packed_bits],
                begins[g], begins[g + 1]);
}
