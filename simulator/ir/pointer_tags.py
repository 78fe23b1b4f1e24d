"""The bits of a pointer that say which shared array it was made from, and of which block."""

#: The lowest of them; the bits below are the address.
SHIFT = 48
MASK = (1 << SHIFT) - 1
#: Where the rank of the block in its cluster begins, counted from 1: a pointer with 0 there leads
#: to the shared memory of whoever uses it.
RANK_SHIFT = 59
#: The highest number of an array. The sign stays positive, for a cluster has 8 blocks at most.
MOST = (1 << RANK_SHIFT - SHIFT) - 1
