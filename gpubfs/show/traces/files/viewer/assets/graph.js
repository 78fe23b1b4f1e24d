// The graph: vertices by level in colour, shape and words, the frontier, and what the warp looks at.

const LEVEL_COLOURS = 6;
const SHAPES = ["circle", "square", "diamond", "triangle", "hexagon", "pentagon"];
const AROUND = 70; // vertices reach beyond their places
const MOST_LISTED = 24; // vertices of a level that are listed

class GraphPane {
  constructor(track) {
    this.track = track;
    this.pane = pane("graph", "graph");
    this.legend = make("ul.levels", { "aria-label": "levels" });
    this.listed = new Kept(this.legend);
    this.vertices = [];
    if (!track.graph) return;
    const { places, vertices, edges, mostDrawn } = track.graph;
    if (places) this.build(places);
    else this.pane.body.append(make("p.weak", {}, `${grouped(vertices)} vertices and ${grouped(edges)} stored edges are too many to draw; up to ${mostDrawn} vertices are drawn. The levels below count them.`));
    this.looking = make("p.looking");
    this.pane.body.append(this.looking, this.legend);
  }

  build(places) {
    const offsets = this.track.columns("graph.offsets"), neighbours = this.track.columns("graph.neighbours");
    const across = Math.max(...places.map(([x]) => x)), down = Math.max(...places.map(([, y]) => y));
    const [wide, high] = [across, down].map((extent) => Math.max(extent, 1) + 2 * AROUND);
    this.size = Math.max(11, Math.min(44, 260 / Math.sqrt(places.length)));
    this.places = places.map(([x, y]) => [x + AROUND, y + AROUND]);
    this.drawn = draw("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img" });
    this.edges = new Map();
    const lines = draw("g", { class: "edges" });
    for (let tail = 0; tail + 1 < offsets.length; tail++) {
      for (let at = offsets[tail]; at < offsets[tail + 1]; at++) lines.append(...this.edge(tail, neighbours[at]));
    }
    this.looks = draw("g", { class: "looks" });
    this.nodes = draw("g", { class: "nodes" });
    this.vertices = this.places.map((place, vertex) => this.vertex(place, vertex));
    this.nodes.append(...this.vertices.map(({ whole }) => whole));
    this.drawn.append(lines, this.looks, this.nodes);
    this.pane.body.append(this.drawn);
  }

  edge(tail, head) {
    const key = tail < head ? `${tail} ${head}` : `${head} ${tail}`;
    if (this.edges.has(key) || tail === head) return [];
    const [[x1, y1], [x2, y2]] = [this.places[tail], this.places[head]];
    this.edges.set(key, draw("line", { x1, y1, x2, y2 }));
    return [this.edges.get(key)];
  }

  vertex([x, y], vertex) {
    const shape = draw("path");
    const number = draw("text", { y: this.size * 0.34, "font-size": this.size * (vertex > 99 ? 0.72 : 0.95) }, String(vertex));
    const level = draw("text", { class: "level", y: this.size * 1.85, "font-size": this.size * 0.75 });
    const title = draw("title");
    const whole = draw("g", { transform: `translate(${x} ${y})` }, title, shape, number, level);
    return { whole, shape, level, title, known: "" };
  }

  outline(kind, size) {
    if (kind === "circle") return `M${-size} 0a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0z`;
    const [corners, turn, scale] = { square: [4, 45, 1.25], diamond: [4, 0, 1.25], triangle: [3, -90, 1.5], hexagon: [6, 0, 1.12], pentagon: [5, -90, 1.15] }[kind];
    const points = Array.from({ length: corners }, (_, at) => {
      const angle = ((360 / corners) * at + turn) * (Math.PI / 180);
      return `${(scale * size * Math.cos(angle)).toFixed(1)} ${(scale * size * Math.sin(angle)).toFixed(1)}`;
    });
    return `M${points.join("L")}z`;
  }

  show(at, view) {
    const codes = this.track.graph && this.track.levels(at);
    this.pane.whole.hidden = !this.track.graph;
    for (const part of [this.drawn, this.legend, this.looking]) part?.toggleAttribute("hidden", !codes);
    if (!codes) tell(this.pane.note, "this kernel is given no status array");
    if (!codes) return;
    const now = this.track.level(at);
    const looked = this.lookedAt(at, view);
    const levels = this.counted(codes);
    if (this.vertices.length) {
      codes.forEach((code, vertex) => {
        const level = code % 2 ? -1 : code / 2;
        this.mark(this.vertices[vertex], vertex, level, level === now, looked.has(vertex));
      });
    }
    const visited = levels.reduce((sum, { count }) => sum + count, 0);
    tell(this.pane.note, `${grouped(visited)} of ${grouped(codes.length)} vertices visited`);
    this.showEdges(view);
    this.showLevels(levels, now);
    this.drawn?.setAttribute("aria-label", `the graph, with ${this.pane.note.textContent}; the frontier is level ${now}`);
  }

  // How many vertices each level has, and of few which ones.
  counted(codes) {
    const found = [];
    for (let vertex = 0; vertex < codes.length; vertex++) {
      const code = codes[vertex];
      if (code < 0 || code % 2) continue;
      while (found.length <= code / 2) found.push({ count: 0, members: [] });
      const level = found[code / 2];
      if (level.count++ < MOST_LISTED) level.members.push(vertex);
    }
    return found;
  }

  // The vertices whose entry in the status array the warp's lanes go to.
  lookedAt(at, view) {
    const found = new Set(), strip = this.track.statusStrip(at);
    for (const access of view.accesses) {
      for (let index = 0; index < access.lanes.length; index++) {
        const { name, element } = this.track.place(access, index);
        if (name === strip.name) found.add(element);
      }
    }
    return found;
  }

  mark(vertex, number, level, frontier, looked) {
    const known = `${level} ${frontier} ${looked}`;
    if (vertex.known === known) return;
    vertex.known = known;
    const kind = level < 0 ? "unvisited" : `level-${level % LEVEL_COLOURS}`;
    vertex.whole.setAttribute("class", `vertex ${kind}${frontier ? " frontier" : ""}${looked ? " looked" : ""}`);
    vertex.shape.setAttribute("d", this.outline(level < 0 ? "circle" : SHAPES[level % SHAPES.length], this.size));
    vertex.level.textContent = level < 0 ? "" : `L${level}`;
    vertex.title.textContent = `vertex ${number}: ${level < 0 ? "not visited" : `level ${level}`}${frontier ? ", in the frontier" : ""}${looked ? ", looked at by the warp" : ""}`;
  }

  ends(edge) {
    const offsets = this.track.columns("graph.offsets"), neighbours = this.track.columns("graph.neighbours");
    if (!offsets.length) return null;
    let [low, high] = [0, offsets.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (offsets[middle] <= edge) low = middle;
      else high = middle;
    }
    return [low, neighbours[edge]];
  }

  showEdges(view) {
    const found = Array.from(view.edges, (edge) => this.ends(edge)).filter(Boolean);
    const words = found.map(([tail, head]) => `${tail}→${head}`).join("  ");
    const many = view.edges.length ? `${grouped(view.edges.length)} edges looked along` : "";
    tell(this.looking, found.length ? `edges looked along: ${words}` : many);
    this.looks?.replaceChildren(...found.map(([tail, head]) => this.arrow(tail, head)));
  }

  arrow(tail, head) {
    const [[x1, y1], [x2, y2]] = [this.places[tail], this.places[head]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [ax, ay] = [x2 - dx * this.size * 1.15, y2 - dy * this.size * 1.15], size = this.size * 0.6;
    const tip = `M${ax} ${ay}L${ax - dx * size - dy * size * 0.6} ${ay - dy * size + dx * size * 0.6}L${ax - dx * size + dy * size * 0.6} ${ay - dy * size - dx * size * 0.6}z`;
    return draw("g", {}, draw("line", { x1, y1, x2: ax, y2: ay }), draw("path", { d: tip }));
  }

  showLevels(levels, now) {
    this.listed.show(levels.map(({ count, members }, level) => {
      const listed = count <= MOST_LISTED ? members.join(" ") : `${grouped(count)} vertices`;
      return [`${level} ${level === now} ${listed}`, () => this.row(level, listed, level === now)];
    }));
  }

  row(level, listed, now) {
    const drawn = draw("path", { d: this.outline(SHAPES[level % SHAPES.length], 9) });
    const shape = draw("svg", { viewBox: "-16 -16 32 32", class: `sample level-${level % LEVEL_COLOURS}`, "aria-hidden": "true" }, drawn);
    const made = make(now ? "li.now" : "li", {}, shape, make("span.which", {}, `level ${level}`), make("span.members", {}, listed));
    if (now) made.append(make("span.tag", {}, "frontier"));
    return made;
  }
}
