extern "C" __global__ void text_that_turns_around(int *a) { a[0] = 42‮; /* ;24 = [0]a */ }
