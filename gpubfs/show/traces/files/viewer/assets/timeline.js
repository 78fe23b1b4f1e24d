// The timeline: all steps, where levels begin, lanes that were left out, and contention of atomics.

class Timeline {
  constructor(tracks, levels, canvas, legend) {
    Object.assign(this, { tracks, levels, canvas });
    this.most = Math.max(1, ...tracks.map((track) => track.columns("step.contention").reduce((most, now) => Math.max(most, now), 0)));
    this.searched = tracks.some((track) => track.graph); // else every launch is a level of its own
    legend.textContent = `${this.searched ? "levels" : "launches"}; lanes at work in each step; lanes at one address of an atomic, at most ${this.most}`;
    this.left = tracks.map((track) => this.shares(track));
    new ResizeObserver(() => this.paint()).observe(canvas);
  }

  // The share of lanes at work in each step, over the warps that take part.
  shares(track) {
    const active = track.columns("view.active"), found = new Float32Array(track.count);
    for (let at = 0; at < track.count; at++) {
      const size = track.launchOf(at).warpSize;
      let sum = 0;
      for (let view = track.views[at]; view < track.views[at + 1]; view++) sum += active[view];
      found[at] = sum / (size * (track.views[at + 1] - track.views[at]));
    }
    return found;
  }

  paint() {
    const { canvas, levels } = this, scale = devicePixelRatio || 1;
    const wide = canvas.clientWidth, high = canvas.clientHeight;
    if (!wide) return;
    canvas.width = Math.round(wide * scale);
    canvas.height = Math.round(high * scale);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.font = `600 11px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    this.paintLevels(pen, wide, colour);
    const rest = high - 18, each = rest / this.tracks.length;
    this.tracks.forEach((track, number) => this.paintTrack(pen, number, wide, 18 + number * each, each, colour));
    pen.fillStyle = colour("--line");
    for (let at = 1; at < levels.length; at++) {
      if (levels[at] !== levels[at - 1]) pen.fillRect(Math.round((at / levels.length) * wide), 0, 1, high);
    }
  }

  paintLevels(pen, wide, colour) {
    const { levels } = this;
    for (let begin = 0, end; begin < levels.length; begin = end) {
      for (end = begin; end < levels.length && levels[end] === levels[begin]; end++);
      const x = (begin / levels.length) * wide, width = ((end - begin) / levels.length) * wide;
      pen.fillStyle = colour(`--level-${levels[begin] % LEVEL_COLOURS}-fill`);
      pen.fillRect(x, 0, width, 16);
      const number = levels[begin] + (this.searched ? 0 : 1);
      const text = width > 60 ? `${this.searched ? "level" : "launch"} ${number}` : String(number);
      if (pen.measureText(text).width + 6 > width) continue;
      pen.fillStyle = colour("--ink");
      pen.fillText(text, x + 4, 8.5);
    }
  }

  // One bar for each pixel: the least share of lanes and the most contention of the steps in it.
  paintTrack(pen, number, wide, top, high, colour) {
    const track = this.tracks[number], contention = track.columns("step.contention");
    const bars = Math.min(Math.max(1, Math.floor(wide)), this.levels.length), half = Math.floor((high - 4) / 2);
    const width = wide / bars;
    for (let bar = 0; bar < bars; bar++) {
      const first = Math.floor((bar / bars) * this.levels.length);
      const end = Math.max(first + 1, Math.floor(((bar + 1) / bars) * this.levels.length));
      let least = 1, most = 0;
      for (let at = first; at < end; at++) {
        const own = track.steps[at];
        least = Math.min(least, this.left[number][own]);
        most = Math.max(most, contention[own]);
      }
      const own = width > 3 ? width - 1 : width;
      pen.fillStyle = colour("--calm");
      pen.fillRect(bar * width, top + half * (1 - least), own, half * least);
      if (!most) continue;
      const share = Math.max(most / this.most, 0.12);
      pen.fillStyle = colour("--hot");
      pen.fillRect(bar * width, top + half + 2 + half * (1 - share), own, half * share);
    }
  }
}
