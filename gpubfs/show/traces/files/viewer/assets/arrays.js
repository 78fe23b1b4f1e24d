// Memory as cells: arrays and queues, in sectors of 32 bytes, with what the step touches.

const MARKS = { read: ["›", "read by the warp"], written: ["*", "written by the warp"], other: ["+", "written by other warps"] };
const CSR = ["offsets", "neighbours"];
const WHOLE = 128; // elements of an array up to which all are shown
const FEW_SECTORS = 8, MOST_SECTORS = 24; // and else sectors, those that are touched before others
const CELL = make("span.cell"); // copies are sooner there than new ones

class ArraysPane {
  constructor(track) {
    this.track = track;
    this.pane = pane("arrays", "memory");
    this.singles = make("dl.singles");
    this.list = make("div.strips");
    this.pane.body.append(this.singles, this.list);
    this.alone = new Kept(this.singles);
    this.strips = new Kept(this.list);
    this.parts = new WeakMap(); // what is in the element of a strip: its head, and its cells
  }

  show(at, view) {
    const touched = this.touched(at, view);
    const many = view.strips.filter((strip) => strip.count !== 1);
    const order = (strip) => (strip.name === "level" ? 0 : CSR.includes(strip.name) ? 2 : 1);
    many.sort((one, other) => order(one) - order(other));
    this.strips.show(many.map((strip) => this.strip(strip))).forEach((whole, at) => this.fill(this.parts.get(whole), many[at], touched));
    this.alone.show([
      ...view.strips.filter((strip) => strip.count === 1).map((strip) => this.single(strip, touched)),
      ...this.track.launchOf(at).scalars.map((scalar) => [`scalar ${scalar.join(" ")}`, () => this.scalar(...scalar)]),
    ]);
    const lit = [...touched.values()].reduce((sum, cells) => sum + cells.size, 0);
    tell(this.pane.note, lit ? `${grouped(lit)} ${lit === 1 ? "element" : "elements"} touched` : "none touched");
  }

  // Keep what is touched in view, without moving the page around the pane.
  follow() {
    const body = this.pane.body, lit = this.list.querySelector(".sector.lit");
    const top = lit ? lit.closest(".strip").offsetTop : 0, end = lit ? lit.offsetTop + lit.offsetHeight + 14 : 0;
    if (lit && (lit.offsetTop < body.scrollTop || end > body.scrollTop + body.clientHeight)) {
      body.scrollTop = end - top > body.clientHeight ? lit.offsetTop - 24 : top - 4;
    }
  }

  // By region the elements that the step touches: how, and by which lanes.
  touched(at, view) {
    const found = new Map(), regions = [...new Set(view.strips.map((strip) => strip.region))].filter((region) => region >= 0);
    const cell = (region, element) => {
      if (!found.has(region)) found.set(region, new Map());
      const own = found.get(region);
      if (!own.has(element)) own.set(element, { how: "other", lanes: [] });
      return own.get(element);
    };
    for (const [region, element] of this.track.written(at)) cell(region, element);
    for (const access of view.accesses) {
      for (let index = 0; index < access.lanes.length; index++) {
        for (const [region, element] of this.elementsAt(regions, this.track.place(access, index).address, access.stride)) {
          const own = cell(region, element);
          const writes = access.kind !== "load";
          own.how = writes || own.how === "written" ? "written" : "read";
          if (!own.lanes.includes(access.lanes[index])) own.lanes.push(access.lanes[index]);
        }
      }
    }
    for (const cells of found.values()) for (const { lanes } of cells.values()) lanes.sort((one, other) => one - other);
    return found;
  }

  // The elements of the arrays that are shown to which bytes from an address on belong.
  *elementsAt(regions, address, width) {
    for (const region of regions) {
      const [start, size, count] = this.track.regions[region];
      const first = Math.max(Math.floor((address - start) / size), 0);
      const last = Math.floor((address + width - 1 - start) / size);
      for (let element = first; element <= last && element < count; element++) yield [region, element];
    }
  }

  text(strip, element) {
    const code = this.track.memory.cells[strip.region][strip.first + element];
    return strip.name === "level" && code % 2 === 0 && code < 0 ? "·" : this.track.value(code);
  }

  single(strip, touched) {
    const how = touched.get(strip.region)?.get(strip.first)?.how, text = this.text(strip, 0);
    const [mark, words] = how ? MARKS[how] : ["", "not touched"];
    return [`${strip.name} ${how} ${text}`, () => make(`div.single${how ? `.${how}` : ""}`, { "data-tip": `${strip.name}: ${words} in this step` },
      make("dt", {}, strip.name), make("dd", {}, make("span.touch", {}, mark), text))];
  }

  scalar(name, value) {
    return make("div.scalar", { "data-tip": `${name} is an argument of the kernel` }, make("dt", {}, name), make("dd", {}, value));
  }

  strip(strip) {
    const { name, region, first, count, block, queue } = strip;
    return [[name, region, first, count, block, queue].join(" "), () => {
      const whole = make(`div.strip${queue ? ".queue" : ""}`), cells = make("div.cells");
      this.parts.set(whole, { whole: new Kept(whole), cells: new Kept(cells) });
      return whole;
    }];
  }

  fill({ whole, cells }, strip, touched) {
    whole.show([[`${strip.fill}`, () => this.head(strip)], ["cells", () => cells.whole]]);
    cells.show(this.sectorsOf(strip, touched.get(strip.region) ?? new Map()));
    cells.whole.classList.toggle("pointed", cells.whole.querySelector(".pointer") !== null);
  }

  head(strip) {
    const fullness = strip.fill === null ? grouped(strip.count) : `${grouped(strip.fill)} of ${grouped(strip.count)}`;
    const head = make("h3", {}, make(strip.block < 0 ? "code" : "code.shared", {}, strip.name));
    if (strip.block >= 0) head.append(make("span.weak", {}, ` shared memory of block ${strip.block}`));
    if (strip.queue) {
      const share = strip.count ? strip.fill / strip.count : 0;
      head.append(make("meter.fill", { min: 0, max: strip.count, value: strip.fill, "aria-label": `how full ${strip.name} is`, style: `--share: ${(100 * share).toFixed(1)}%` }));
    }
    head.append(make("span.figures", {}, fullness));
    return head;
  }

  // The sectors of a strip that are shown, with what is left out between them.
  sectorsOf(strip, touched) {
    if (strip.region < 0) return [["", () => make("span.weak", {}, "not kept")]];
    const [start, size] = this.track.regions[strip.region];
    const sector = (element) => Math.floor((start + (strip.first + element) * size) / SECTOR);
    const used = strip.fill === null ? strip.count : Math.min(Math.max(strip.fill, ...[...touched.keys()].map((e) => e - strip.first + 1).filter((e) => e <= strip.count)), strip.count);
    if (!used) return [["│", () => this.end()], ["empty", () => make("span.weak", {}, " empty")]];
    const found = [];
    let next = sector(0);
    for (const number of this.wanted(strip, touched, used, sector)) {
      if (number > next) found.push(this.gap(number - next, size));
      const first = Math.max(Math.ceil((number * SECTOR - start) / size) - strip.first, 0);
      const end = Math.min(Math.ceil(((number + 1) * SECTOR - start) / size) - strip.first, used);
      found.push(this.sector(strip, touched, number, first, end));
      next = number + 1;
    }
    const left = sector(used - 1) + 1 - next;
    if (left > 0) found.push(this.gap(left, size));
    return found;
  }

  gap(sectors, size) {
    const elements = Math.round((sectors * SECTOR) / size);
    const tip = `about ${grouped(elements)} elements are left out`;
    return [`… ${elements}`, () => make("span.gap", { "data-tip": tip }, `… ${short(elements)}`)];
  }

  end() {
    return make("span.end", { "data-tip": "the end of the queue" }, "│");
  }

  // A sector with some of a strip's elements, from the first one to before the end.
  sector(strip, touched, number, first, end) {
    const codes = this.track.memory.cells[strip.region], ends = end === strip.fill;
    let key = `${number} ${end} ${ends}`, lit = false;
    for (let element = strip.first + first; element < strip.first + end; element++) {
      const touch = touched.get(element);
      key += touch ? ` ${codes[element]} ${touch.how} ${touch.lanes}` : ` ${codes[element]}`;
      lit ||= Boolean(touch);
    }
    return [key, () => {
      const tip = `sector ${number}: ${strip.name}[${first}] to [${end - 1}]`, rows = this.rows(strip);
      const made = make(lit ? "span.sector.lit" : "span.sector", { "data-tip": tip }, make("span.label", { "aria-hidden": "true" }, String(first)));
      for (let element = first; element < end; element++) made.append(this.cell(strip, element, touched.get(strip.first + element), rows));
      if (ends) made.append(this.end());
      return made;
    }];
  }

  // Which sectors are shown: all of short arrays, else touched ones and those at the end that grows.
  wanted(strip, touched, used, sector) {
    const first = sector(0), end = sector(used - 1) + 1;
    const found = new Set();
    const few = used <= WHOLE || end - first <= FEW_SECTORS;
    for (const element of few ? [] : touched.keys()) {
      const own = element - strip.first;
      if (own >= 0 && own < used && found.size < MOST_SECTORS) found.add(sector(own));
    }
    for (let by = 0; by < end - first && (few || found.size < FEW_SECTORS); by++) found.add(strip.grows && !few ? end - 1 - by : first + by);
    return [...found].sort((one, other) => one - other);
  }

  // Of the array of neighbours: at which elements the row of which vertex begins.
  rows(strip) {
    if (strip.name !== "neighbours") return new Map();
    this.known ??= this.rowsOf(this.track.columns("graph.offsets"));
    return this.known;
  }

  rowsOf(offsets) {
    const found = new Map();
    for (let vertex = 0; vertex + 1 < offsets.length; vertex++) {
      if (offsets[vertex] < offsets[vertex + 1]) found.set(offsets[vertex], vertex);
    }
    return found;
  }

  cell(strip, element, touch, rows) {
    const text = this.text(strip, element);
    const made = CELL.cloneNode();
    const row = rows.get(strip.first + element);
    let kind = "cell";
    if (row !== undefined) {
      kind += " row";
      made.setAttribute("data-row", row);
    }
    let tip = `${strip.name}[${element}] is ${text === "?" ? "not written yet" : text}`;
    if (row !== undefined) tip += `; the row of vertex ${row} begins`;
    if (strip.name === "level" && /^\d+$/.test(text)) kind += ` level-${Number(text) % LEVEL_COLOURS}`;
    if (touch) {
      const [mark, words] = MARKS[touch.how];
      kind += ` touched ${touch.how}`;
      const lanes = ranges(touch.lanes);
      tip += `; ${words}${lanes ? `, lane ${lanes}` : ""}`;
      made.append(make("span.touch", {}, mark), text);
      if (lanes) {
        const pointer = `↑${lanes.length > 7 ? `${touch.lanes.length} lanes` : lanes}`;
        made.style.minWidth = `${pointer.length}ch`; // of letters larger than the pointer's
        made.append(make("span.pointer", { "aria-hidden": "true" }, pointer));
      }
    } else made.append(text);
    made.className = kind;
    made.setAttribute("data-tip", tip);
    return made;
  }
}
