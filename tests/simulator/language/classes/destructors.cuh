// Destructors: when objects end, and in which order.
struct Log {
  int text = 0;
  __device__ void note(int digit) { text = text * 7 + digit; }
};
struct Guard {
  Log *log;
  int id;
  __device__ Guard(Log *log, int id) : log(log), id(id) { log->note(id); }
  __device__ ~Guard() {
    if (id == 5) return;
    log->note(id + 3);
  }
  __device__ int get() const { return id * 2; }
};
struct Outer : Guard {
  Guard first, second;
  __device__ Outer(Log *log, int id) : Guard(log, id), first(log, 1), second(log, 2) {}
  __device__ ~Outer();
};
__device__ Outer::~Outer() { log->note(6); }
struct Holder {
  Guard guard;
  int n;
};
struct Early {
  Log *log;
  int n = 0;
  __device__ Early(Log *log, int i) : log(log) {
    Guard guard(log, 2);
    n = 1;
    if (i & 1) return;
    n = 2;
  }
};
template <typename T> struct Scoped {
  T &value;
  T old;
  __device__ Scoped(T &value, T now) : value(value), old(value) { value = now; }
  __device__ ~Scoped() { value = old; }
};

__device__ int early(Log *log, int i) {
  Guard outer(log, 1);
  if (i % 3 == 0) return log->text % 100;
  {
    Guard inner(log, 2);
    if (i % 3 == 1) return log->text % 100 + inner.id;
  }
  return log->text % 100;
}
__device__ int loops(Log *log, int i) {
  int sum = 0;
  for (int j = 0; j < 4; j++) {
    Guard guard(log, j & 1);
    if (j == i % 5) continue;
    Guard other(log, 2);
    if (j == i % 4) break;
    sum += j;
  }
  for (Guard head(log, 1); sum < 20; sum += 9) {
    Guard body(log, 3);
    while (true) {
      Guard deep(log, 2);
      if (sum & 1) break;
      sum++;
    }
    if (i == 7) return sum;
  }
  do {
    Guard guard(log, 0);
  } while (sum++ < 22);
  return sum;
}
__device__ int switched(Log *log, int i) {
  switch (i % 4) {
    case 0: {
      Guard guard(log, 1);
      break;
    }
    case 1: return Guard(log, 2).get();
    default:
      Guard guard(log, 3);
      if (i & 1) break;
      log->note(1);
  }
  return log->text;
}
__device__ int by_reference(const Guard &guard) { return guard.id + guard.log->text % 10; }
__device__ Guard made(Log *log, int i) {
  Guard local(log, 1);
  return Guard(log, i);
}
__device__ Outer *address(Outer &outer) {
  Guard guard(outer.log, 4);
  return &outer;
}

__device__ double run(int i) {
  Log log, other;
  double found = early(&log, i) + loops(&log, i) + switched(&log, i);
  {
    Outer outer(&log, i % 3);
    found += address(outer)->second.get();
    Guard many[2] = {{&log, 0}, Guard(&log, 1)};
    found += many[i & 1].get();
  }
  found += by_reference(Guard(&log, 2)) + Guard(&log, i & 3).get();
  Guard(&log, 4);
  const Guard &kept = made(&log, 3);
  Guard chosen = i & 2 ? Guard(&log, 1) : made(&log, 2);
  Holder holder{Guard(&log, 3), i};
  Holder list{{&log, 2}, i};
  if (Guard(&log, 1).get() + i > 5) log.note(2);
  if (Guard here(&other, 3); here.get() > i) found += other.text;
  Early a(&other, i);
  int value = i;
  {
    Scoped<int> scoped(value, 100);
    found += value;
    auto lambda = [&](int x) {
      Guard inside(&other, x);
      if (x & 1) return other.text;
      return x;
    };
    found += lambda(i) + lambda(2);
  }
  Guard silent(&log, 5);
  return found + value + log.text % 10007 + other.text % 1009 + a.n + kept.id + holder.n;
}
