// The source: syntax in colours, the executed part lit, and how much each line costs.

const WORDS_OF_C = new Set((
  "if else for while do switch case default break continue return goto sizeof struct enum union typedef " +
  "static const volatile extern inline template typename using namespace class public private operator true false nullptr"
).split(" "));
const TYPES_OF_C = new Set((
  "void bool char short int long signed unsigned float double auto int8_t int16_t int32_t int64_t uint8_t " +
  "uint16_t uint32_t uint64_t size_t offset_t vertex_t dim3"
).split(" "));
const CUDA = /^(?:__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic\w+)$/;
const PIECES = /(\/\/.*$|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)|(\s+)|(.)/gsu;

// The pieces of a line, each with the class of its syntax; `inside` says that a comment is open.
function pieces(line, inside) {
  const found = [];
  let rest = line;
  if (inside) {
    const end = line.indexOf("*/");
    const comment = end < 0 ? line : line.slice(0, end + 2);
    found.push(["comment", comment]);
    rest = line.slice(comment.length);
    if (end < 0) return { found, inside: true };
  }
  if (/^\s*#/.test(rest)) return { found: [...found, ["macro", rest]], inside: false };
  for (const [text, comment, string, number, word] of rest.matchAll(PIECES)) {
    found.push([comment ? "comment" : string ? "string" : number ? "number" : word ? kindOf(word) : "", text]);
  }
  const last = found[found.length - 1];
  const open = last?.[0] === "comment" && last[1].startsWith("/*") && !/\*\/$/.test(last[1].slice(2));
  return { found, inside: open };
}

function kindOf(word) {
  if (WORDS_OF_C.has(word)) return "word";
  if (TYPES_OF_C.has(word)) return "type";
  return CUDA.test(word) ? "cuda" : "";
}

// The pieces as elements; columns from `from` to before `to`, from 1, are lit.
function coloured(parts, from = 0, to = 0) {
  const found = [];
  const lit = make("mark.lit");
  let column = 1;
  for (const [kind, text] of parts) {
    const letters = [...text];
    const cut = (begin, end) => letters.slice(Math.max(begin - column, 0), Math.max(end - column, 0)).join("");
    for (const [into, piece] of [[found, cut(0, from)], [lit, cut(from, to)], [found, cut(Math.max(to, from), Infinity)]]) {
      if (!piece) continue;
      const made = kind ? make(`span.${kind}`, {}, piece) : piece;
      if (into === lit) {
        if (!lit.parentNode && !found.includes(lit)) found.push(lit);
        lit.append(made);
      } else found.push(made);
    }
    column += letters.length;
  }
  return found;
}

class SourcePane {
  constructor(track, goToLine) {
    this.track = track;
    this.pane = pane("source", "source");
    this.files = track.sources.map((source, number) => this.file(source, number));
    this.lit = [];
    this.shown = null;
    this.focus = null;
    this.heat();
    this.pane.body.addEventListener("click", (event) => {
      const number = event.target.closest(".gutter")?.dataset.line;
      if (number) goToLine(Number(number));
    });
    // Notebooks lay out a page when it comes into view, which may be long after its step was shown.
    new ResizeObserver(() => this.follow()).observe(this.pane.body);
  }

  file(source, number) {
    let inside = false;
    const parts = source.lines.map((line) => {
      const read = pieces(line, inside);
      inside = read.inside;
      return read.found;
    });
    const rows = parts.map((part, at) => {
      const gutter = make("span.gutter", { "data-line": at + 1 }, make("span.mark", { "aria-hidden": "true" }), make("span.number", {}, String(at + 1)), make("span.heat"));
      return make("div.line", {}, gutter, make("code", {}, ...coloured(part)));
    });
    const list = make("div.file", { "data-number": number }, ...rows);
    return { parts, rows, list };
  }

  // How many sectors each line has moved in the whole trace; of a line without any how often it ran.
  heat() {
    const of = this.track.columns, focus = of("step.focus");
    const kinds = ["load", "store", "atomic"].map((kind) => of(`total.${kind}_sectors`));
    const sectors = new Map(), ran = new Map();
    let before = 0;
    for (let at = 0; at < focus.length; at++) {
      const [source, line] = this.track.spans[focus[at]];
      const key = `${source}:${line}`;
      const now = kinds.reduce((sum, kind) => sum + (kind[at] ?? 0), 0);
      sectors.set(key, (sectors.get(key) ?? 0) + now - before);
      ran.set(key, (ran.get(key) ?? 0) + 1);
      before = now;
    }
    const most = Math.max(1, ...sectors.values()), often = Math.max(1, ...ran.values());
    for (const [key, times] of ran) {
      const [source, line] = key.split(":").map(Number);
      const heat = this.files[source].rows[line - 1]?.querySelector(".heat");
      if (!heat) continue;
      const moved = sectors.get(key);
      const share = moved ? moved / most : times / often;
      heat.textContent = moved ? short(moved) : `${short(times)}×`;
      heat.classList.add(moved ? "moved" : "ran");
      heat.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
      const words = `${grouped(moved)} sectors moved, ran in ${grouped(times)} steps of the trace`;
      heat.parentNode.dataset.tip = `line ${line}: ${words}. A click leads to the next step here.`;
    }
  }

  show(at) {
    const focus = this.track.columns("step.focus")[at];
    if (focus !== this.focus) this.light(this.track.span(at));
    this.focus = focus;
  }

  light(span) {
    const file = this.files[span.number];
    for (const { row, part } of this.lit) {
      row.classList.remove("here");
      row.removeAttribute("aria-current");
      row.querySelector("code").replaceChildren(...coloured(part));
    }
    this.lit = [];
    if (this.shown !== file) {
      this.pane.body.replaceChildren(file.list);
      this.shown = file;
      this.pane.note.textContent = span.source.name;
    }
    for (let line = span.line; line <= span.endLine; line++) {
      const row = file.rows[line - 1], part = file.parts[line - 1];
      if (!row) continue;
      const text = span.source.lines[line - 1];
      const from = line === span.line ? span.column : [...text].findIndex((letter) => letter.trim()) + 1;
      const to = line === span.endLine ? span.endColumn : [...text].length + 1;
      row.classList.add("here");
      if (line === span.line) row.setAttribute("aria-current", "step");
      row.querySelector("code").replaceChildren(...coloured(part, Math.max(from, 1), to));
      this.lit.push({ row, part });
    }
  }

  // Keep the executed line in view, without moving the page around the pane.
  follow() {
    const row = this.lit[0]?.row, body = this.pane.body;
    if (!row) return;
    const top = row.offsetTop, height = body.clientHeight;
    if (top < body.scrollTop + 40 || top + row.offsetHeight > body.scrollTop + height - 60) {
      body.scrollTop = Math.max(top - height / 2.6, 0);
    }
  }
}
