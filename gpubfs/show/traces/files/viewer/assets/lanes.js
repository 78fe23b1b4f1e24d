// The warp: a cell for each lane with its state and its values, the other warps, and who waits.

const LOOKS = {
  [NOBODY]: ["nobody", " ", "no thread"],
  [ACTIVE]: ["active", "■", "active"],
  [MASKED]: ["masked", "□", "masked"],
  [WAITING]: ["waiting", "▲", "waiting at a barrier"],
  [ENDED]: ["ended", "·", "returned"],
};
const MANY_WARPS = 256; // of more only the first have cells

class LanesPane {
  constructor(track, follow) {
    this.track = track;
    this.pane = pane("lanes", "warp");
    this.warps = make("div.warps", { role: "group", "aria-label": "warps of the wave" });
    this.more = make("p.more-warps");
    this.names = make("p.names");
    this.grid = make("div.grid", { role: "list", "aria-label": "lanes" });
    this.detail = make("p.detail");
    this.idle = make("ul.idle");
    this.pane.body.append(this.warps, this.more, this.names, this.grid, this.detail, this.idle);
    this.chosen = 0;
    this.cells = [];
    this.warps.addEventListener("click", (event) => {
      const warp = event.target.closest("button")?.dataset.warp;
      if (warp !== undefined) follow(Number(warp));
    });
    for (const kind of ["pointerover", "click"]) {
      this.grid.addEventListener(kind, (event) => {
        const lane = event.target.closest(".lane")?.dataset.lane;
        if (lane !== undefined) this.choose(Number(lane));
      });
    }
  }

  show(at, view, followed) {
    const away = followed !== null && followed !== view.warp;
    this.pane.note.textContent = away ? `${view.title}; warp ${followed} is not shown in this step` : view.title;
    this.view = view;
    this.showWarps(at, view, followed);
    this.names.replaceChildren(...this.named(view));
    if (this.cells.length !== view.states.length) this.build(view.states.length);
    const values = this.values(view);
    view.states.forEach((state, lane) => {
      const [kind, shape] = LOOKS[state];
      const cell = this.cells[lane];
      const text = values[lane].join("\n");
      if (cell.kind !== kind) {
        cell.whole.className = `lane ${kind}`;
        cell.shape.textContent = shape;
        cell.kind = kind;
      }
      if (cell.text !== text) {
        cell.text = text;
        cell.value.textContent = text;
      }
      cell.whole.setAttribute("aria-label", this.described(lane));
    });
    this.choose(this.chosen);
    this.idle.replaceChildren(...view.idle.map(({ state, text }) => {
      const [kind, shape] = LOOKS[state];
      return make(`li.${kind}`, {}, make("span.shape", { "aria-hidden": "true" }, shape), ` ${text}`);
    }));
  }

  build(count) {
    this.cells = Array.from({ length: count }, (_, lane) => {
      const shape = make("span.shape", { "aria-hidden": "true" }), value = make("span.value");
      const whole = make("div.lane", { role: "listitem", "data-lane": lane }, make("span.number", {}, String(lane)), shape, value);
      return { whole, shape, value, kind: "", text: null };
    });
    this.grid.style.setProperty("--across", Math.min(count, 8));
    this.grid.replaceChildren(...this.cells.map((cell) => cell.whole));
  }

  named(view) {
    if (!view.computed.length) return [make("span.weak", {}, "computes no value")];
    return view.computed.flatMap(({ name }, at) => [at ? make("span.weak", {}, " · ") : "", make("code", {}, name)]);
  }

  // What each lane computes, in the order of the names.
  values(view) {
    const found = Array.from(view.states, () => []);
    for (const { lanes, codes } of view.computed) {
      lanes.forEach((lane, at) => found[lane].push(this.track.value(codes[at])));
    }
    return found;
  }

  // All that is known of a lane, in a sentence.
  described(lane) {
    const { view, track } = this;
    const parts = [`lane ${lane}: ${LOOKS[view.states[lane]][2]}`];
    for (const { name, lanes, codes } of view.computed) {
      const at = lanes.indexOf(lane);
      if (at >= 0) parts.push(`${name} is ${track.value(codes[at])}`);
    }
    for (const access of view.accesses) {
      const at = access.lanes.indexOf(lane);
      if (at < 0) continue;
      const { name, label, address } = track.place(access, at);
      const value = access.values.length ? track.value(access.values[at]) : "";
      const verb = access.stored ? `, leaves ${value}` : value ? `, finds ${value}` : "";
      const sector = access.shared ? "shared memory" : `sector ${Math.floor(address / SECTOR)}`;
      parts.push(`${access.kind} ${name}[${label}], byte ${address}, ${sector}${verb}`);
    }
    return parts.join("; ");
  }

  choose(lane) {
    this.cells[this.chosen]?.whole.classList.remove("chosen");
    this.chosen = Math.min(Math.max(lane, 0), this.cells.length - 1);
    this.cells[this.chosen].whole.classList.add("chosen");
    this.detail.textContent = this.described(this.chosen);
  }

  showWarps(at, view, followed) {
    const shapes = this.track.shapes.cells[0];
    const count = Math.min(this.track.warps, MANY_WARPS);
    this.warps.hidden = this.track.warps < 2;
    if (this.warps.hidden) return;
    while (this.warps.children.length < count) {
      this.warps.append(make("button", { type: "button", "data-warp": this.warps.children.length }));
    }
    this.more.textContent = this.track.warps > count ? `and ${grouped(this.track.warps - count)} more warps: w follows the next one` : "";
    for (let warp = 0; warp < count; warp++) {
      const [kind, shape, words] = LOOKS[shapes[warp]];
      const button = this.warps.children[warp];
      button.hidden = shapes[warp] === NOBODY;
      button.textContent = shape;
      button.className = kind;
      button.tabIndex = warp === view.warp ? 0 : -1;
      button.setAttribute("aria-pressed", String(warp === followed));
      if (warp === view.warp) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      const label = `warp ${warp}: ${words}`;
      button.setAttribute("aria-label", label);
      button.dataset.tip = `${label}; a click follows it, another one ends that`;
    }
  }
}
