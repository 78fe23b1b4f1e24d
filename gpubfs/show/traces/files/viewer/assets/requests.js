// What the warp asks of memory: lanes and elements, the sectors that move, who is served after whom.

const SECTOR = 32;
const UNWANTED = make("span", {}, "·"); // copies are sooner there than new ones

class RequestsPane {
  constructor(track) {
    this.track = track;
    this.pane = pane("requests", "memory operations");
  }

  show(view) {
    const found = view.accesses.map((access) => this.access(access));
    tell(this.pane.note, found.length ? "" : "none in this step");
    this.pane.body.replaceChildren(...found);
  }

  access(access) {
    const head = make("h3", {},
      make(`span.kind.${access.kind}`, {}, access.kind), " ", make("code.array", {}, access.title), make("span.figures", {}, access.figures));
    const rows = access.kind === "atomic" ? [this.served(access)] : [this.elements(access), this.sectors(access)];
    return make("article.access", {}, head, ...rows);
  }

  // Indices of lanes by the address that they go to, addresses ascending, lanes as they are served.
  groups(access) {
    const found = new Map();
    for (const index of access.order) {
      const place = this.track.place(access, index);
      if (!found.has(place.address)) found.set(place.address, { place, indices: [] });
      found.get(place.address).indices.push(index);
    }
    return [...found.values()].sort((one, other) => one.place.address - other.place.address);
  }

  elements(access) {
    const several = new Set(access.extents).size > 1;
    return make("ul.elements", { "aria-label": "lanes and elements" }, ...this.groups(access).map(({ place, indices }) => {
      const lanes = ranges(Array.from(indices, (index) => access.lanes[index]).sort((a, b) => a - b));
      const last = indices[indices.length - 1];
      const value = access.values.length ? `${access.stored ? "=" : ":"}${this.track.value(access.values[last])}` : "";
      const tip = `lane ${lanes} ${access.kind}s byte ${place.address}, sector ${Math.floor(place.address / SECTOR)}`;
      return make("li", { "data-tip": tip },
        make("span.lanes-of", {}, lanes), "→", `${several ? place.name : ""}[${place.label}]`, make("b", {}, value));
    }));
  }

  // Each sector as a box with a cell for each of its elements: how many lanes want it.
  sectors(access) {
    const tiles = new Map();
    for (let index = 0; index < access.lanes.length; index++) {
      const place = this.track.place(access, index);
      const origin = access.shared ? place.start : 0;
      const key = origin + Math.floor((place.address - origin) / SECTOR) * SECTOR;
      if (!tiles.has(key)) tiles.set(key, []);
      tiles.get(key).push(place);
    }
    const several = new Set(access.extents).size > 1;
    const ordered = [...tiles].sort(([one], [other]) => one - other);
    return make("div.sectors", { role: "list", "aria-label": access.shared ? "bytes" : "sectors" }, ...ordered.map(([begin, places]) => this.sector(access, begin, places, several)));
  }

  sector(access, begin, places, several) {
    const { name, start, size } = places[0], stride = access.stride;
    const wanted = new Map();
    for (const place of places) {
      const at = Math.floor((place.address - start) / stride);
      wanted.set(at, (wanted.get(at) ?? 0) + 1);
    }
    const first = Math.max(Math.floor((begin - start) / stride), 0);
    const last = Math.floor((begin + SECTOR - 1 - start) / stride);
    const blank = Math.max(Math.floor((start - begin) / stride), 0);
    const cells = Array.from({ length: blank }, () => make("span.blank"));
    for (let at = first; at <= last; at++) {
      const lanes = wanted.get(at) ?? 0;
      cells.push(lanes ? make("span.wanted", {}, String(lanes)) : UNWANTED.cloneNode(true));
    }
    const label = `${several ? `${name} ` : ""}${Math.floor((first * stride) / size)}`;
    const what = access.shared ? "32 bytes of shared memory" : `sector ${begin / SECTOR}, bytes ${begin} to ${begin + SECTOR - 1}`;
    const many = `${places.length} ${places.length === 1 ? "lane" : "lanes"}`;
    const tip = `${what}, from ${name}[${Math.floor((first * stride) / size)}] on: ${many} want ${wanted.size} of its elements`;
    return make("div.sector", { role: "listitem", "data-tip": tip, "aria-label": tip },
      make("span.label", { "aria-hidden": "true" }, label), make(`span.tile.${access.kind}`, { "aria-hidden": "true" }, ...cells));
  }

  served(access) {
    const rows = this.groups(access).sort((one, other) => other.indices.length - one.indices.length);
    return make("ol.served", { "aria-label": "addresses and who is served there" }, ...rows.map(({ place, indices }) => {
      const parts = Array.from(indices).flatMap((index, number) => {
        const found = access.values.length ? ` finds ${this.track.value(access.values[index])}` : "";
        const swaps = access.swapped.length ? make("b", {}, access.swapped[index] ? ", swaps" : ", fails") : "";
        return [make("span.weak", {}, number ? ", then " : ""), `lane ${access.lanes[index]}${found}`, swaps];
      });
      return make("li", {}, make("b", {}, `${place.name}[${place.label}]`), " ← ", ...parts);
    }));
  }
}
