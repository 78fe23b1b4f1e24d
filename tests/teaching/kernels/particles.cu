// Particles that move and bounce in a box: as an array of structs and as a struct of arrays.
// The arithmetic is the same; how many sectors a warp touches is not.

struct Particle {
  float x, y, z;
  float vx, vy, vz;
};

// One array for each member, all of the same length.
struct Particles {
  float *x;
  float *y;
  float *vx;
  float *vy;
};

struct Box {
  float low;
  float high;
};

// Moves along one axis; a particle that would leave the box is reflected at its wall.
__device__ void advance(float &x, float &v, float dt, const Box &box) {
  x += v * dt;
  if (x < box.low) {
    x = 2.0f * box.low - x;
    v = -v;
  } else if (x > box.high) {
    x = 2.0f * box.high - x;
    v = -v;
  }
}

// Lanes read 24 bytes apart: every load touches all sectors of the warp's particles.
extern "C" __global__ void move_structs(Particle *particles, int n, float dt, Box box) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  advance(p.x, p.vx, dt, box);
  advance(p.y, p.vy, dt, box);
  advance(p.z, p.vz, dt, box);
  particles[i] = p;
}

// Only one member is wanted, but the others come along in the same sectors.
extern "C" __global__ void push_structs(Particle *particles, int n, float dv) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) particles[i].vz += dv;
}

// Lanes read side by side: four sectors a load.
extern "C" __global__ void move_arrays(float *x, float *y, float *vx, float *vy, int n, float dt,
                                       Box box) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particles all = {x, y, vx, vy};
  // A struct of pointers is only a way to pass them on together.
  advance(all.x[i], all.vx[i], dt, box);
  advance(all.y[i], all.vy[i], dt, box);
}
