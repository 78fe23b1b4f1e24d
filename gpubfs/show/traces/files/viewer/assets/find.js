// Finding steps: by their number, a level, a line, a warp, or text; and where two traces differ.

class Finder {
  constructor(tracks, levels) {
    Object.assign(this, { tracks, levels, count: levels.length });
  }

  // The next step for which something holds, from the beginning after the last; -1 for none.
  next(at, holds, way = 1) {
    for (let by = 1; by <= this.count; by++) {
      const to = (((at + way * by) % this.count) + this.count) % this.count;
      if (holds(to)) return to;
    }
    return -1;
  }

  line(at, line, way = 1) {
    return this.next(at, (to) => this.tracks.some((track) => track.span(track.steps[to]).line === line), way);
  }

  level(level) {
    return this.levels.indexOf(level);
  }

  // What is asked for leads to a step and perhaps a warp, or to a message that says why it does not.
  find(query, at, way = 1) {
    const text = query.trim().toLowerCase();
    const [, kind, digits] = /^(step|level|line|warp|#|:)?\s*(\d+)$/.exec(text) ?? [];
    const number = Number(digits);
    if (!text) return { message: "type a step, level 2, line 24, warp 1, or text of the source" };
    if (digits === undefined) return this.text(text, at, way);
    if (kind === "level") return this.found(this.level(number), `the trace has no level ${number}`);
    if (kind === "line" || kind === ":") return this.found(this.line(at, number, way), `no step is at line ${number}`);
    if (kind === "warp") return this.warp(at, number, way);
    return this.found(number >= 1 && number <= this.count ? number - 1 : -1, `there is no step ${number}`);
  }

  found(to, message) {
    return to < 0 ? { message } : { to };
  }

  warp(at, warp, way) {
    const takesPart = (to) => this.tracks.some((track) => track.viewOf(track.steps[to], warp) >= 0);
    const to = takesPart(at) ? at : this.next(at, takesPart, way);
    return to < 0 ? { message: `warp ${warp} is shown in no step` } : { to, warp };
  }

  // Text of the statement, of its line, or of what is said of the step.
  text(text, at, way) {
    const known = this.tracks.map((track) => ({
      spans: track.spans.map(([source, line], number) => {
        const [, first, column, endLine, endColumn] = track.spans[number];
        const statement = track.spanText({ source: track.sources[source], line: first, column, endLine, endColumn });
        return `${statement}\n${track.sources[source].lines[line - 1] ?? ""}`.toLowerCase().includes(text);
      }),
      texts: track.texts.map((own) => own.toLowerCase().includes(text)),
    }));
    const holds = (to) => this.tracks.some((track, number) => {
      const step = track.steps[to], view = track.views[step] + track.columns("step.first")[step];
      const { spans, texts } = known[number];
      if (spans[track.columns("step.focus")[step]] || texts[track.columns("view.title")[view]]) return true;
      for (let row = track.asked[view]; row < track.asked[view + 1]; row++) {
        if (texts[track.columns("access.title")[row]] || texts[track.columns("access.figures")[row]]) return true;
      }
      return false;
    });
    return this.found(this.next(at, holds, way), `no step shows “${text}”`);
  }

  // The first step at which two traces differ, in each respect; -1 for none.
  differences() {
    const [one, other] = this.tracks;
    const found = { statement: -1, lanes: -1, values: -1, levels: -1 };
    const same = {
      statement: (a, b) => one.spanText(one.span(a)) === other.spanText(other.span(b)),
      lanes: (a, b) => String(one.view(a).states) === String(other.view(b).states),
      values: (a, b) => computedText(one, a) === computedText(other, b),
      levels: (a, b) => levelsText(one, a) === levelsText(other, b),
    };
    for (let at = 0; at < this.count; at++) {
      const a = one.steps[at], b = other.steps[at];
      for (const track of this.tracks) track.memory.seek(track.steps[at]);
      for (const [respect, holds] of Object.entries(same)) {
        if (found[respect] < 0 && !holds(a, b)) found[respect] = at;
      }
      if (Object.values(found).every((step) => step >= 0)) break;
    }
    return found;
  }
}

function computedText(track, at) {
  return track.view(at).computed.map(({ name, codes }) => `${name} ${Array.from(codes, (code) => track.value(code))}`).join(";");
}

function levelsText(track, at) {
  const codes = track.levels(at);
  return codes ? Array.from(codes, (code) => track.value(code)).join() : "";
}
