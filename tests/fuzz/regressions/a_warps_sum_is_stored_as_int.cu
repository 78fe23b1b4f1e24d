// {"memory": "1c5036e381f72594", "arrays": [{"name": "a0", "dtype": "int32", "length": 768, "start": 0}], "launches": [{"kernel": "k2", "grid": [1, 1, 1], "block": [1, 1, 1], "arguments": ["a0"], "shared": 0}]}
extern "C" __global__ void k2(int *a0)
{
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int T = blockDim.x * blockDim.y * blockDim.z;
  const int bid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int gid = bid * T + tid;
  const int lane = tid & 31;
  const int first = tid - lane;
  const int live = min(32, T - first);
  const unsigned int wmask = live == 32 ? 0xffffffffu : (1u << live) - 1u;
  int o44 = (gid);
  unsigned int b54 = __reduce_add_sync(wmask, (unsigned int)0);
  __syncwarp(wmask);
  (a0[o44] = (b54++));
  __syncwarp(wmask);
  __syncthreads();
}
