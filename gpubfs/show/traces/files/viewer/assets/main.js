// The viewer: where one stands, what the controls and keys do, and the address.

const SPEEDS = [0.5, 1, 2.5, 5, 10, 30]; // steps a second
const SETTLED = 250; // milliseconds; browsers refuse to change an address too often
const SIDES = ["left", "right"];
const RESPECTS = { statement: "statement", lanes: "state of lanes", values: "computed values", levels: "levels of vertices" };
const element = (id) => document.getElementById(id);

class Viewer {
  constructor({ tables, columns }) {
    this.tables = tables;
    this.count = tables.steps;
    this.levels = columns.levels;
    this.tracks = tables.tracks.map((own, number) => new Track(own, columns, number));
    this.finder = new Finder(this.tracks, this.levels);
    this.at = 0;
    this.followed = this.tracks[0].followed;
    this.playing = null;
    this.speed = 2;
    this.panes = this.tracks.map((track, number) => this.build(track, this.tracks.length > 1 ? SIDES[number] : ""));
    this.slider = element("slider");
    this.slider.max = this.count - 1;
    this.timeline = new Timeline(this.tracks, this.levels, element("timeline"), element("timeline-words"));
    element("differ").hidden = this.tracks.length < 2;
    new ResizeObserver(() => this.fit()).observe(element("top"));
  }

  // Panes in columns get the height that the bar leaves them in the window.
  fit() {
    const headings = this.panes.map(({ heading, remarks }) => heading.offsetHeight + remarks.whole.offsetHeight);
    const above = element("top").offsetHeight + 20 + Math.max(...headings);
    element("tracks").style.setProperty("--above", `${above}px`);
  }

  // The panes of a trace, which on one of two sides are named by it.
  build(track, side) {
    const own = {
      source: new SourcePane(track, (line) => this.jump(this.finder.line(this.at, line))),
      lanes: new LanesPane(track, (warp) => this.follow(warp === this.followed ? null : warp)),
      requests: new RequestsPane(track),
      arrays: new ArraysPane(track),
      graph: new GraphPane(track),
      counters: new CountersPane(track),
      heading: make("p.heading"),
      remarks: new Remarks(track, (at) => this.jump(track.steps.indexOf(at))),
    };
    const { remarks, source, lanes, requests, graph, arrays, counters, heading } = own;
    const parts = [source, lanes, requests, graph, arrays, counters].map((part) => part.pane.whole);
    for (const part of side ? parts : []) {
      part.setAttribute("aria-label", `${part.querySelector("h2").textContent}, ${side}`);
      part.removeAttribute("aria-labelledby");
    }
    const whole = make("section.track", { "aria-label": side ? `${side}: ${track.title}` : track.title }, heading, remarks.whole, make("div.panes", {}, ...parts));
    element("tracks").append(whole);
    return own;
  }

  show(step) {
    this.at = Math.min(Math.max(step, 0), this.count - 1);
    const said = this.tracks.map((track, number) => this.showTrack(track, this.panes[number]));
    const place = `step ${this.at + 1} of ${this.count}`;
    element("place").textContent = place;
    element("sentence").textContent = said.join(" Beside it: ");
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", place);
    for (const { source, arrays } of this.panes) {
      source.follow(); // when all is written, for to ask where something stands has everything laid out
      arrays.follow();
    }
    clearTimeout(this.noting);
    this.noting = setTimeout(() => this.note(), SETTLED);
  }

  // Draw one trace's panes; returns the step in a sentence.
  showTrack(track, panes) {
    const at = track.steps[this.at];
    track.seek(at);
    const view = track.view(at, this.followed);
    tell(panes.heading, view.heading);
    const remarks = panes.remarks.show(at);
    panes.source.show(at);
    panes.lanes.show(at, view, this.followed);
    panes.requests.show(view);
    panes.arrays.show(at, view);
    panes.graph.show(at, view);
    panes.counters.show(at);
    for (const { lane } of remarks) if (lane !== null) panes.lanes.choose(lane);
    const span = track.span(at);
    const asked = view.accesses.map(({ kind, title, figures }) => ` ${kind} ${title}: ${figures}.`).join("");
    const wrong = remarks.map(({ text }) => ` ${text}.`).join("");
    return `${span.source.name} line ${span.line}: ${track.spanText(span)}. ${view.title}.${asked}${wrong}`;
  }

  note() {
    try {
      history.replaceState(null, "", `#step=${this.at + 1}`);
    } catch {
      // A page inside another one has no address of its own.
    }
  }

  showAddressed() {
    const [, kind, digits] = /[#&](step|level)=(\d+)/.exec(location.hash) ?? [];
    if (kind === "step") this.show(Number(digits) - 1);
    else if (kind === "level") this.jump(this.finder.level(Number(digits)), `the trace has no level ${digits}`);
  }

  jump(to, message = "no step is there") {
    if (to >= 0) this.show(to);
    this.say(to < 0 ? message : "");
  }

  say(message) {
    element("message").textContent = message;
  }

  // Where a step leads: along the warp that is followed, or from level to level.
  takesPart(to) {
    const [track] = this.tracks;
    return this.followed === null || this.tracks.length > 1 || track.viewOf(track.steps[to], this.followed) >= 0;
  }

  next() {
    for (let to = this.at + 1; to < this.count; to++) if (this.takesPart(to)) return to;
    return this.at;
  }

  back() {
    for (let to = this.at - 1; to >= 0; to--) if (this.takesPart(to)) return to;
    return this.at;
  }

  beginOf(at) {
    while (at > 0 && this.levels[at - 1] === this.levels[at]) at--;
    return at;
  }

  nextLevel() {
    for (let to = this.at; to < this.count; to++) if (this.levels[to] > this.levels[this.at]) return to;
    return this.count - 1;
  }

  previousLevel() {
    const begin = this.beginOf(this.at);
    return begin < this.at || !this.at ? begin : this.beginOf(this.at - 1);
  }

  follow(warp) {
    this.followed = warp;
    this.say(warp === null ? "following whichever warp is at work" : `following warp ${warp}${this.keptNote()}`);
    this.show(warp === null || this.takesPart(this.at) ? this.at : this.next() === this.at ? this.back() : this.next());
  }

  keptNote() {
    const { kept } = this.tracks[0];
    return kept ? `; in a trace this long ${kept === 1 ? "one warp" : `${kept} warps`} of each step are kept` : "";
  }

  nextWarp() {
    const most = Math.max(...this.tracks.map((track) => track.warps));
    const next = this.followed === null ? 0 : this.followed + 1;
    this.follow(next < most ? next : null);
  }

  chooseLane(by) {
    for (const { lanes } of this.panes) lanes.choose(lanes.chosen + by);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    const play = document.querySelector("[data-to=play]");
    play.setAttribute("aria-label", "play");
    play.classList.remove("playing");
    for (const id of ["place", "sentence"]) element(id).setAttribute("aria-live", "polite");
  }

  start() {
    if (this.next() === this.at) this.show(0);
    this.playing = setInterval(() => {
      this.show(this.next());
      if (this.next() === this.at) this.stop();
    }, 1000 / SPEEDS[this.speed]);
    const play = document.querySelector("[data-to=play]");
    play.setAttribute("aria-label", "pause");
    play.classList.add("playing");
    for (const id of ["place", "sentence"]) element(id).setAttribute("aria-live", "off"); // nobody listens as fast as that
  }

  pace(by) {
    this.speed = Math.min(Math.max(this.speed + by, 0), SPEEDS.length - 1);
    this.say(`${SPEEDS[this.speed]} steps a second`);
    if (this.playing === null) return;
    this.stop();
    this.start();
  }

  differ() {
    if (this.tracks.length < 2) return;
    const rows = Object.entries(this.finder.differences()).map(([respect, at]) => {
      if (at < 0) return make("li", {}, `${RESPECTS[respect]}: no step differs`);
      return make("li", {}, make("button", { type: "button", "data-step": at }, `${RESPECTS[respect]}: step ${at + 1}`));
    });
    element("differences").replaceChildren(...rows);
    this.show(this.at);
    element("difference").showModal();
  }

  find(way = 1) {
    const { to, warp, message } = this.finder.find(element("find").value, this.at, way);
    if (warp !== undefined) this.followed = warp;
    if (to !== undefined) this.show(to);
    this.say(message ?? `step ${to + 1}`);
  }

  // What a button or a key stands for.
  act(to) {
    const resting = this.playing === null;
    if (to === "faster" || to === "slower") return this.pace(to === "faster" ? 1 : -1);
    this.stop();
    this.say("");
    const moves = {
      first: () => this.show(0), last: () => this.show(this.count - 1),
      next: () => this.show(this.next()), back: () => this.show(this.back()),
      nextLevel: () => this.show(this.nextLevel()), previousLevel: () => this.show(this.previousLevel()),
      warp: () => this.nextWarp(), lane: () => this.chooseLane(1), laneBack: () => this.chooseLane(-1),
      find: () => element("find").select(), differ: () => this.differ(), help: () => element("help").showModal(),
      play: () => resting && this.start(),
    };
    return moves[to]();
  }
}

const KEYS = new Map([
  ["ArrowLeft", "back"], ["ArrowRight", "next"], ["Home", "first"], ["End", "last"],
  ["PageUp", "previousLevel"], ["PageDown", "nextLevel"], [" ", "play"], ["w", "warp"],
  ["]", "lane"], ["[", "laneBack"], ["/", "find"], ["d", "differ"], ["?", "help"], ["+", "faster"], ["=", "faster"], ["-", "slower"],
]);

function listen(viewer, tip) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hide();
    const to = KEYS.get(event.key);
    const { target } = event;
    if (!to || event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.shiftKey && !["?", "+"].includes(event.key)) return;
    if (target.id === "find" || (to === "play" && target.tagName === "BUTTON")) return; // their own keys
    event.preventDefault();
    viewer.act(to);
  });
  element("controls").addEventListener("click", (event) => {
    const to = event.target.closest("[data-to]")?.dataset.to;
    if (to) viewer.act(to);
  });
  element("seek").addEventListener("submit", (event) => {
    event.preventDefault();
    viewer.stop();
    viewer.find();
  });
  element("find").addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.activeElement.blur();
    if (event.key !== "Enter" || !event.shiftKey) return;
    event.preventDefault();
    viewer.find(-1);
  });
  viewer.slider.addEventListener("input", () => {
    viewer.stop();
    viewer.show(Number(viewer.slider.value));
  });
  element("differences").addEventListener("click", (event) => {
    const at = event.target.dataset.step;
    if (at === undefined) return;
    element("difference").close();
    viewer.show(Number(at));
  });
  addEventListener("hashchange", () => viewer.showAddressed());
}

// The theme is the browser's and the height the window's, unless the page around this one says other ones: a frame that
// was made as high as panes in two columns must not keep those in three as high as that.
function themed(viewer) {
  addEventListener("message", ({ data }) => {
    if (data?.gpubfs !== "around") return;
    if (data.high > 0) element("tracks").style.setProperty("--window", `${data.high}px`);
    if (!["light", "dark"].includes(data.theme)) return;
    document.documentElement.dataset.theme = data.theme;
    viewer().timeline.paint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => viewer().timeline.paint());
}

// A page inside another one says how high it is, and by that, that it is there.
function tellHeight() {
  const height = element("top").offsetHeight + document.querySelector("main").offsetHeight;
  parent.postMessage({ gpubfs: "opened", height }, "*");
}

async function open() {
  const viewer = new Viewer(await decoded(element("steps").textContent.trim()));
  globalThis.viewer = viewer;
  listen(viewer, tips());
  themed(() => viewer);
  viewer.show(viewer.tables.begin);
  viewer.say(viewer.tables.note);
  viewer.showAddressed();
  if (parent !== window) new ResizeObserver(tellHeight).observe(document.querySelector("main"));
  document.documentElement.dataset.ready = "";
  globalThis.opened = performance.now();
}

open().catch((error) => {
  element("message").textContent = `The steps cannot be shown: ${error.message}`;
  throw error;
});
