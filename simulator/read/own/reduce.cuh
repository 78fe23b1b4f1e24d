// What cg::reduce does by an operation that is no cg::plus or its like.
namespace cooperative_groups {

template <typename Group, typename T, typename Operation>
__device__ T __reduced(const Group &tile, T value, Operation operation) {
    for (int step = tile.size() / 2; step > 0; step /= 2) {
        value = operation(value, tile.shfl_xor(value, step));
    }
    return value;
}

template <typename Group, typename T, typename Operation>
__device__ T __reduced_by_rank(const Group &group, T value, Operation operation) {
    T all = group.shfl(value, 0);
    for (int rank = 1; rank < (int)group.size(); rank++) {
        all = operation(all, group.shfl(value, rank));
    }
    return all;
}

// Objects are shuffled a word at a time.
template <typename Group, typename T>
__device__ T __object_from(const Group &group, const T &value, int rank) {
    unsigned words[(sizeof(T) + 3) / 4];
    memcpy(words, &value, sizeof(T));
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = group.shfl(words[i], rank);
    T found = value;
    memcpy(&found, words, sizeof(T));
    return found;
}

template <typename Group, typename T, typename Operation>
__device__ T __reduced_object(const Group &tile, T value, Operation operation) {
    for (int step = tile.size() / 2; step > 0; step /= 2) {
        value = operation(value, __object_from(tile, value, tile.thread_rank() ^ step));
    }
    return value;
}

template <typename Group, typename T, typename Operation>
__device__ T __reduced_object_by_rank(const Group &group, T value, Operation operation) {
    T all = __object_from(group, value, 0);
    for (int rank = 1; rank < (int)group.size(); rank++) {
        all = operation(all, __object_from(group, value, rank));
    }
    return all;
}

}  // namespace cooperative_groups
