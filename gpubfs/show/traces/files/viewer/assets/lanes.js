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
    this.named = new Kept(this.names);
    this.idling = new Kept(this.idle);
    this.buttons = [];
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
    tell(this.pane.note, away ? `${view.title}; warp ${followed} is not shown in this step` : view.title);
    this.view = view;
    this.showWarps(at, view, followed);
    this.named.show(this.namesOf(view));
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
      const label = this.described(lane);
      if (cell.label !== label) {
        cell.label = label;
        cell.whole.setAttribute("aria-label", label);
      }
    });
    this.choose(this.chosen);
    this.idling.show(view.idle.map(({ state, text }) => [`${state} ${text}`, () => this.idler(...LOOKS[state], text)]));
  }

  idler(kind, shape, words, text) {
    return make(`li.${kind}`, {}, make("span.shape", { "aria-hidden": "true" }, shape), ` ${text}`);
  }

  build(count) {
    this.cells = Array.from({ length: count }, (_, lane) => {
      const shape = make("span.shape", { "aria-hidden": "true" }), value = make("span.value");
      const whole = make("div.lane", { role: "listitem", "data-lane": lane }, make("span.number", {}, String(lane)), shape, value);
      return { whole, shape, value, kind: "", text: null, label: null };
    });
    this.grid.style.setProperty("--across", Math.min(count, 8));
    this.grid.replaceChildren(...this.cells.map((cell) => cell.whole));
  }

  namesOf(view) {
    if (!view.computed.length) return [["", () => make("span.weak", {}, "computes no value")]];
    return view.computed.flatMap(({ name }, at) => {
      const named = [`${at} ${name}`, () => make("code", {}, name)];
      return at ? [[at, () => make("span.weak", {}, " · ")], named] : [named];
    });
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
    const chosen = Math.min(Math.max(lane, 0), this.cells.length - 1);
    if (chosen !== this.chosen) this.cells[this.chosen]?.whole.classList.remove("chosen");
    this.chosen = chosen;
    this.cells[chosen].whole.classList.add("chosen");
    tell(this.detail, this.described(chosen));
  }

  showWarps(at, view, followed) {
    const shapes = this.track.shapes.cells[0];
    const count = Math.min(this.track.warps, MANY_WARPS);
    this.warps.hidden = this.track.warps < 2;
    if (this.warps.hidden) return;
    while (this.buttons.length < count) {
      const whole = make("button", { type: "button", "data-warp": this.buttons.length });
      this.buttons.push({ whole, state: null, current: null, pressed: null });
      this.warps.append(whole);
    }
    tell(this.more, this.track.warps > count ? `and ${grouped(this.track.warps - count)} more warps: w follows the next one` : "");
    this.buttons.forEach((button, warp) => this.showWarp(button, warp, shapes[warp], warp === view.warp, warp === followed));
  }

  showWarp(button, warp, state, current, pressed) {
    const { whole } = button;
    if (button.state !== state) {
      const [kind, shape, words] = LOOKS[state];
      whole.hidden = state === NOBODY;
      whole.textContent = shape;
      whole.className = kind;
      const label = `warp ${warp}: ${words}`;
      whole.setAttribute("aria-label", label);
      whole.dataset.tip = `${label}; a click follows it, another one ends that`;
    }
    if (button.current !== current) {
      whole.tabIndex = current ? 0 : -1;
      if (current) whole.setAttribute("aria-current", "true");
      else whole.removeAttribute("aria-current");
    }
    if (button.pressed !== pressed) whole.setAttribute("aria-pressed", String(pressed));
    Object.assign(button, { state, current, pressed });
  }
}
