// Small tools for elements, numbers in words, and the tip that explains what the pointer is over.

function make(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Say something in an element; one that says it already keeps its layout.
function tell(made, text) {
  if (made.textContent !== text) made.textContent = text;
}

// The children of an element, of which those stay that show what they showed before. Of each there is a key that tells
// all of that, and what makes it.
class Kept {
  constructor(whole) {
    this.whole = whole;
    this.known = new Map();
  }

  // Returns the children.
  show(rows) {
    const now = new Map();
    let kept = 0;
    for (const [name, made] of rows) {
      let key = name;
      while (now.has(key)) key += "'"; // two that look the same
      const known = this.known.get(key);
      if (known) kept++;
      now.set(key, known ?? made());
    }
    const children = [...now.values()];
    if (kept) this.place(children, now);
    else if (this.known.size || children.length) this.whole.replaceChildren(...children);
    this.known = now;
    return children;
  }

  // Put children where they belong without moving those that are there.
  place(children, now) {
    for (const [key, child] of this.known) if (!now.has(key)) child.remove();
    let next = this.whole.firstChild;
    for (const child of children) {
      if (child === next) next = next.nextSibling;
      else this.whole.insertBefore(child, next);
    }
  }
}

const SVG = document.createElementNS.bind(document, "http://www.w3.org/2000/svg");

function draw(tag, attributes = {}, ...children) {
  const made = SVG(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function pane(kind, title) {
  const id = `pane-${kind}-${++pane.count}`;
  const note = make("span.note");
  const body = make("div.body", { tabindex: "0", role: "group", "aria-labelledby": id });
  const heading = make("h2", { id }, title);
  const whole = make(`section.pane.${kind}`, { "aria-labelledby": id }, make("header", {}, heading, note), body);
  return { whole, heading, note, body };
}
pane.count = 0;

// Numbers in words, runs of them together: 0-2, 5.
function ranges(numbers) {
  const runs = [];
  for (const number of numbers) {
    const last = runs[runs.length - 1];
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function short(number) {
  if (number < 10_000) return grouped(Math.round(number));
  const [scale, unit] = number < 1e6 ? [1e3, "k"] : number < 1e9 ? [1e6, "M"] : [1e9, "G"];
  return `${(number / scale).toFixed(number / scale < 100 ? 1 : 0)} ${unit}`;
}

// One tip for the whole page: what has the attribute data-tip explains itself by it.
function tips() {
  const tip = make("div.tip", { role: "tooltip", id: "tip", hidden: true });
  document.body.append(tip);
  const show = (event) => {
    const over = event.target.closest?.("[data-tip]");
    const following = event.type === "focusin" && over?.id === "slider"; // it would cover what changes
    tip.hidden = !over || following;
    if (tip.hidden) return;
    tip.textContent = over.dataset.tip;
    const box = over.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(box.left, 6), innerWidth - own.width - 6);
    const below = box.bottom + 6 + own.height < innerHeight;
    tip.style.left = `${Math.max(left, 6)}px`;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(box.top - own.height - 6, 6)}px`;
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", () => (tip.hidden = true));
  return { hide: () => (tip.hidden = true) };
}
