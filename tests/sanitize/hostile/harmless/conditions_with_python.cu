#if 0
import os
os.system("touch canary")
__import__("os").system("touch canary")
#elif defined(__import__) || defined(exec)
raise SystemExit
#else
extern "C" __global__ void conditions_with_python(int *a) { a[0] = 42; }
#endif
