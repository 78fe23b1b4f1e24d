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

}  // namespace cooperative_groups
