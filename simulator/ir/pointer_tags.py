"""The bits of a pointer that say which shared array it was made from."""

#: The lowest of them; the bits below are the address.
SHIFT = 48
MASK = (1 << SHIFT) - 1
#: The highest number: the sign stays positive.
MOST = (1 << 63 - SHIFT) - 1
