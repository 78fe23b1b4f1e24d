#define open(x) (x)
#define import int
#define __import__(x) open(x)
#define lambda 40
#define exec(code) __import__(code)
#define os 2
#define UNUSED __import__('os').system('touch canary')
#define def_run(launch, arguments) launch[arguments]

extern "C" __global__ void python_in_macros(int *a) {
  import yield = exec(lambda) + open(os);
  def_run(a, 0) = yield;
}
