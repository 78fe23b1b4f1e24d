// Reads what is on the page of a trace, and nothing but that: no data behind it.
(track) => {
  const root = document.querySelectorAll(".track")[track];
  const all = (where, from = root) => [...from.querySelectorAll(where)];
  const text = (where, from = root) => from.querySelector(where)?.textContent ?? "";
  const visible = (it) => it && !it.hidden && it.offsetParent !== null;
  const cell = (it) => {
    const mark = text(".touch", it), pointer = text(".pointer", it);
    return [mark, it.textContent.slice(mark.length, it.textContent.length - pointer.length)];
  };
  const graph = root.querySelector(".pane.graph");
  return {
    step: document.getElementById("place").textContent,
    heading: text(".heading"),
    file: text(".pane.source .note"),
    here: all(".line.here").map((it) => [text(".number", it), text("code", it)]),
    lit: all("mark.lit").map((it) => it.textContent),
    title: text(".pane.lanes .note"),
    warps: visible(root.querySelector(".warps")) ? all(".warps button").filter(visible).map((it) => it.textContent) : [],
    lanes: all(".lane").map((it) => text(".shape", it)),
    names: all(".names code").map((it) => it.textContent),
    values: all(".lane").map((it) => text(".value", it)),
    idle: all(".idle li").map((it) => it.textContent),
    accesses: all(".access").map((it) => ({
      kind: text(".kind", it), array: text(".array", it), figures: text(".figures", it),
      elements: all(".elements li", it).map((one) => one.textContent),
      served: all(".served li", it).map((one) => one.textContent),
      sectors: all(".sector", it).map((one) => [text(".label", one), all(".tile span", one).map((it) => it.textContent)]),
    })),
    singles: all(".single").map((it) => [text("dt", it), text(".touch", it), text("dd", it).slice(text(".touch", it).length)]),
    scalars: all(".scalar").map((it) => [text("dt", it), text("dd", it)]),
    strips: all(".strip").map((it) => ({
      name: text("h3 code", it), fill: text(".figures", it), queue: it.classList.contains("queue"),
      cells: all(".cell", it).map(cell),
    })),
    edges: visible(graph) ? text(".looking", graph) : "",
    levels: visible(graph) ? all(".levels li", graph).map((it) => [text(".which", it), text(".members", it), it.className]) : [],
    visited: visible(graph) ? text(".note", graph) : "",
    counters: Object.fromEntries(all(".counter").map((it) => [text("dt", it), text("dd", it)])),
    places: all(".vertex").map((it) => [text("title", it), it.getAttribute("class")]),
  };
}
