// bottom-up-async: a pass over who was not visited finds vertices of two levels.
//
// The pass of bottom-up, whose lanes also notice neighbours of the level that is being
// found: a vertex without a parent, but with such a neighbour, belongs to the level
// after it, and need not be looked at again.

#define ASYNCHRONOUS 1
#include "bottom_up.cu"
