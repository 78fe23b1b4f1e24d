// The model of one trace: the facts of a step, and the memory behind it.

// What has been written to cells step by step; it goes forwards and backwards.
class Log {
  constructor(starts, region, element, code, cells) {
    Object.assign(this, { starts, region, element, code, cells });
    this.old = code.slice();
    this.at = -1;
    for (let i = 0; i < code.length; i++) {
      const own = cells[region ? region[i] : 0];
      this.old[i] = own[element[i]];
      own[element[i]] = code[i];
    }
    this.at = starts.length - 2;
  }

  seek(step) {
    const { region, element } = this;
    for (let i = this.starts[this.at + 1]; i < this.starts[step + 1]; i++) {
      this.cells[region ? region[i] : 0][element[i]] = this.code[i];
    }
    for (let i = this.starts[this.at + 1] - 1; i >= this.starts[step + 1]; i--) {
      this.cells[region ? region[i] : 0][element[i]] = this.old[i];
    }
    this.at = step;
  }
}

const NOBODY = 0, ACTIVE = 1, MASKED = 2, WAITING = 3, ENDED = 4;
const UNKNOWN = 1; // the code of what nothing has written

class Track {
  constructor(tables, columns, prefix) {
    Object.assign(this, tables);
    this.columns = (name) => columns[`${prefix}.${name}`] ?? new Int32Array(0);
    const of = this.columns;
    this.count = of("step.level").length;
    this.steps = of("steps");
    this.views = begins(of("step.views"));
    this.rows = begins(of("view.computed"));
    this.asked = begins(of("view.accesses"));
    this.idle = begins(of("view.idle"));
    this.lists = begins(of("list.sizes"));
    this.listed = of("list.values");
    const code = of("write.code");
    const cells = this.regions.map(([, , count]) => new code.constructor(count).fill(UNKNOWN));
    const writes = begins(of("step.found"), of("step.written"));
    this.memory = new Log(writes, of("write.region"), of("write.element"), code, cells);
    const warps = of("shape.warp").reduce((most, warp) => Math.max(most, warp + 1), 0);
    const shapes = [new Int32Array(warps)];
    this.shapes = new Log(begins(of("step.shapes")), null, of("shape.warp"), of("shape.state"), shapes);
    this.warps = warps;
    const numbers = new Int32Array(this.count);
    this.launches.forEach(({ begin }, number) => numbers.fill(number, begin, this.launches[number + 1]?.begin));
    this.launchOf = (at) => this.launches[numbers[at]];
  }

  list(reference, base) {
    const number = reference + base;
    return this.listed.subarray(this.lists[number], this.lists[number + 1]);
  }

  value(code) {
    return code % 2 ? this.texts[(code - 1) / 2] : String(code / 2);
  }

  span(at, which = "focus") {
    const [source, line, column, endLine, endColumn] = this.spans[this.columns(`step.${which}`)[at]];
    return { source: this.sources[source], number: source, line, column, endLine, endColumn };
  }

  spanText({ source, line, column, endLine, endColumn }) {
    const lines = source.lines.slice(line - 1, endLine).map((text) => [...text]);
    if (!lines.length) return "";
    lines[lines.length - 1] = lines[lines.length - 1].slice(0, endColumn - 1);
    lines[0] = lines[0].slice(column - 1);
    return lines.map((text) => text.join("")).join(" ").split(/\s+/).join(" ").trim();
  }

  level(at) {
    return this.columns("step.level")[at];
  }

  // The number of the view of a warp, or -1 if it takes no part.
  viewOf(at, warp) {
    const warps = this.columns("view.warp");
    for (let view = this.views[at]; view < this.views[at + 1]; view++) {
      if (warps[view] === warp) return view;
    }
    return -1;
  }

  // What a step shows, seen from a warp that takes part, or else from the first one.
  view(at, warp = null) {
    let number = warp === null ? -1 : this.viewOf(at, warp);
    if (number < 0) number = this.views[at] + this.columns("step.first")[at];
    const of = (name) => this.columns(`view.${name}`)[number];
    const base = of("base");
    return {
      warp: of("warp"), block: of("block"), warpInBlock: of("warp_in_block"), active: of("active"),
      title: this.texts[of("title")],
      heading: this.texts[this.columns("step.heading")[at]],
      states: this.list(of("states"), base),
      strips: this.stripsOf(of("strips"), of("fills"), base),
      edges: this.list(of("edges"), base),
      computed: this.computedOf(number, base),
      accesses: this.accessesOf(number, base),
      idle: this.idleOf(number),
    };
  }

  stripsOf(strips, fills, base) {
    const fill = this.list(fills, base);
    return Array.from(this.list(strips, base), (number, at) => {
      const [name, region, first, count, block, queue, grows] = this.strips[number];
      const own = fill[at] < 0 ? null : fill[at];
      return { name, region, first, count, block, queue: Boolean(queue), grows: Boolean(grows), fill: own };
    });
  }

  computedOf(view, base) {
    const of = (name, row) => this.columns(`computed.${name}`)[row];
    const found = [];
    for (let row = this.rows[view]; row < this.rows[view + 1]; row++) {
      found.push({
        name: this.texts[of("name", row)],
        lanes: this.list(of("lanes", row), base),
        codes: this.list(of("codes", row), base),
      });
    }
    return found;
  }

  accessesOf(view, base) {
    const found = [];
    for (let row = this.asked[view]; row < this.asked[view + 1]; row++) {
      const of = (name) => this.columns(`access.${name}`)[row];
      const texts = (name) => this.texts[of(name)];
      const list = (name) => this.list(of(name), base);
      const order = list("order"), lanes = list("lanes");
      found.push({
        kind: texts("kind"), title: texts("title"), figures: texts("figures"),
        shared: Boolean(of("shared")), stored: Boolean(of("stored")), merged: Boolean(of("merged")),
        sectors: of("sectors"), stride: of("stride"), lanes, bytes: list("bytes"),
        extents: list("extents"), elements: list("elements"), values: list("values"),
        swapped: list("swapped"), order: order.length ? order : lanes.map((_, at) => at),
      });
    }
    return found;
  }

  idleOf(view) {
    const state = this.columns("idle.state"), text = this.columns("idle.text");
    const found = [];
    for (let row = this.idle[view]; row < this.idle[view + 1]; row++) {
      found.push({ state: state[row], text: this.texts[text[row]] });
    }
    return found;
  }

  seek(at) {
    this.memory.seek(at);
    this.shapes.seek(at);
  }

  // The elements that the step itself writes, as region and element; not what the host has written.
  written(at) {
    const { starts, region, element } = this.memory;
    const found = [];
    for (let i = starts[at] + this.columns("step.found")[at]; i < starts[at + 1]; i++) {
      found.push([region[i], element[i]]);
    }
    return found;
  }

  total(name, at) {
    return this.columns(`total.${name}`)[at] ?? 0;
  }

  // Where an element of an access lies: its array, its number, what it is called, and its byte.
  place(access, index) {
    const [name, start, size] = this.extents[access.extents[index]];
    const element = access.elements[index] / 2;
    const byte = access.bytes.length ? access.bytes[index] : 0;
    const label = byte ? `${element}+${byte}` : String(element);
    return { name, start, size, element, label, address: start + element * size + byte };
  }

  // The codes of the vertices' levels, or null where there is no status array.
  levels(at) {
    const strip = this.statusStrip(at);
    return strip && this.graph ? this.memory.cells[strip.region].subarray(0, this.graph.vertices) : null;
  }

  statusStrip(at) {
    const name = this.launchOf(at).status;
    const view = this.views[at];
    const base = this.columns("view.base")[view];
    const numbers = name === null ? [] : this.list(this.columns("view.strips")[view], base);
    for (const number of numbers) {
      if (this.strips[number][0] === name) return { region: this.strips[number][1], name };
    }
    return null;
  }
}
