// What is said of a trace, such as where a run goes wrong: sentences, and buttons that lead to their steps.

class Remarks {
  constructor(track, goTo) {
    this.rows = track.remarks.map(([text, at, lane]) => {
      const lead = at === null ? null : make("button", { type: "button", "data-step": at }, `step ${at + 1}`);
      return { text, at, lane, whole: make("li", {}, lead, make("span", {}, text)) };
    });
    this.whole = make("ul.remarks", { "aria-label": "what goes wrong", hidden: !this.rows.length }, ...this.rows.map(({ whole }) => whole));
    this.whole.addEventListener("click", (event) => {
      const step = event.target.closest("button")?.dataset.step;
      if (step !== undefined) goTo(Number(step));
    });
  }

  // Mark what is about a step; returns that.
  show(at) {
    const own = this.rows.filter((row) => row.at === at);
    for (const { whole } of this.rows) whole.removeAttribute("aria-current");
    for (const { whole } of own) whole.setAttribute("aria-current", "step");
    return own;
  }
}
