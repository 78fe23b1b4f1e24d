// Base classes: members, functions, hiding, conversions to the base.
struct Shape {
  int id;
  float scale = 2;
  __device__ Shape(int id) : id(id) {}
  __device__ float area() const { return scale; }
  __device__ int number() const { return id * 10; }
  __device__ Shape &grow(float by) { scale += by; return *this; }
};

struct Square : public Shape {
  float side;
  __device__ Square(int id, float side) : Shape(id), side(side) {}
  __device__ float area() const { return side * side * Shape::area(); }
  using Own = float;
};

class Cube : public Square {
  float height;

 public:
  __device__ Cube(float side, float height = 3) : Square(5, side), height(height) { id += 1; }
  __device__ float volume() const { return area() * height + number(); }
};

struct Tag {};
struct Tagged : Tag {
  int value;
};

__device__ float by_base(const Shape &shape) { return shape.area() + shape.id; }
__device__ void change(Shape &shape) { shape.scale *= 3; }
__device__ float by_pointer(const Shape *shape) { return shape->scale; }
__device__ float by_value(Shape shape) { shape.scale = 100; return shape.area(); }

__device__ double run(int i) {
  Square s(i, 3);
  Cube c(2);
  s.grow(1).grow(i);
  change(s);
  change(c);
  Shape copy = s;
  copy.id = 77;
  Tagged t;
  t.value = i;
  Square::Own own = 1.5f;
  return s.area() + c.volume() + by_base(s) + by_base(c) + by_pointer(&s) + by_value(s) +
         copy.area() + s.id + copy.number() + t.value + own + sizeof(Cube) + sizeof(Tagged) +
         sizeof(Tag);
}
