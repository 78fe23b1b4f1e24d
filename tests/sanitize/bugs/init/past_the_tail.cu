// A stack: the element on top stands below the place that is filled next.
extern "C" __global__ void past_the_tail(const int *in, int *stack, int *out, int n) {
  int top = 0;
  for (int i = 0; i < n; i++) stack[top++] = in[i];
#ifdef BUGGY
  for (int i = 0; i < n; i++) out[i] = stack[top--];  // BUG
#else
  for (int i = 0; i < n; i++) out[i] = stack[--top];
#endif
}
