// direction-optimizing: top-down levels of scan-free, bottom-up passes of bottom-up.
//
// Which of the two a level gets, the host decides from what the frontier has: vertices
// and edges. So there is nothing here that is not theirs.

#include "bottom_up.cu"
