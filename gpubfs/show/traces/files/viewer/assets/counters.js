// Counters: what each has come to, and how it grew over the whole trace.

const SHOWN_FIRST = [
  "load_requests", "load_sectors", "store_requests", "store_sectors", "atomic_requests", "atomic_sectors",
  "divergent_branches", "branches", "shared_requests", "warp_steps", "thread_steps",
];
const POINTS = 120; // of a curve

class CountersPane {
  constructor(track) {
    this.track = track;
    this.pane = pane("counters", "counters");
    const names = [...SHOWN_FIRST.filter((name) => track.counters.includes(name)), ...track.counters.filter((name) => !SHOWN_FIRST.includes(name))];
    this.rows = names.map((name) => this.row(name));
    this.lanes = this.lanesAtWork();
    this.pane.body.append(make("dl.counters", {}, ...this.rows.map(({ whole }) => whole)));
  }

  row(name) {
    const words = name.replaceAll("_", " ");
    const count = make("dd"), more = make("dd.more");
    const now = draw("line", { class: "now", y1: 0, y2: 24 });
    const curve = draw("svg", { viewBox: `0 0 ${POINTS} 24`, preserveAspectRatio: "none", "aria-hidden": "true" }, draw("path", { d: this.curve(name) }), now);
    const whole = make("div.counter", { "data-tip": `${words}: the curve is the whole trace, the line this step` }, make("dt", {}, words), count, more, make("dd.curve", {}, curve));
    return { name, whole, count, more, now };
  }

  curve(name) {
    const values = this.track.columns(`total.${name}`);
    const last = values.length - 1, most = Math.max(values[last], 1);
    const points = Array.from({ length: POINTS + 1 }, (_, at) => `${at} ${(23 - 22 * (values[Math.round((at / POINTS) * last)] / most)).toFixed(1)}`);
    return `M0 24L${points.join("L")}L${POINTS} 24z`;
  }

  lanesAtWork() {
    const share = make("dd"), bar = make("dd.bar");
    const whole = make("div.counter", { "data-tip": "of the lanes of the warps that took part, the share that did" }, make("dt", {}, "lanes at work"), share, bar);
    this.rows.push({ whole });
    return { share, bar };
  }

  show(at) {
    const { track } = this;
    for (const { name, count, more, now } of this.rows) {
      if (!name) continue;
      const value = track.total(name, at), before = at ? track.total(name, at - 1) : 0;
      tell(count, grouped(value));
      tell(more, value > before ? `+${grouped(value - before)}` : "");
      const x = track.count > 1 ? (at / (track.count - 1)) * POINTS : 0;
      now.setAttribute("x1", x);
      now.setAttribute("x2", x);
    }
    const lanes = track.total("warp_steps", at) * track.launchOf(at).warpSize;
    const share = lanes ? (100 * track.total("thread_steps", at)) / lanes : 0;
    tell(this.lanes.share, lanes ? `${share.toFixed(0)} %` : "none yet");
    this.lanes.bar.style.setProperty("--share", `${share.toFixed(1)}%`);
  }
}
