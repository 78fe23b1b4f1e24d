"use strict";
// Shows one frame at a time. All that can be asked of a step was computed when the page was made:
// frames are lists of numbers of lines, lines are class, text, class, text and so on, and
// moves say for every step where each button leads from there.
const element = (id) => document.getElementById(id);
const { classes, lines, frames, moves } = JSON.parse(element("steps").textContent);
const slider = element("slider");
const place = element("place");
const play = document.querySelector("[data-to=play]");
const last = frames.length - 1;
const pause = 400; // milliseconds between two steps of a play
const settled = 250; // browsers refuse to change an address too often

let at = 0;
let playing = null;
let noting = null;

function run(kind, text) {
  if (!classes[kind]) return text;
  const span = document.createElement("span");
  span.className = classes[kind];
  span.textContent = text;
  return span;
}

function drawn(line) {
  const runs = [];
  for (let i = 0; i < line.length; i += 2) runs.push(run(line[i], line[i + 1]));
  return [...runs, "\n"];
}

function show(step) {
  at = Math.min(Math.max(step, 0), last);
  element("frame").replaceChildren(...frames[at].flatMap((number) => drawn(lines[number])));
  place.textContent = `step ${at + 1} of ${last + 1}`;
  slider.value = at;
  slider.setAttribute("aria-valuetext", place.textContent);
  clearTimeout(noting);
  noting = setTimeout(note, settled);
}

function note() {
  try {
    history.replaceState(null, "", `#step=${at + 1}`);
  } catch {
    // A page inside another one has no address of its own.
  }
}

function showAddressed() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  if (found) show(Number(found[1]) - 1);
}

function stop() {
  clearInterval(playing);
  playing = null;
  play.textContent = "play";
  place.setAttribute("aria-live", "polite");
}

function advance() {
  show(moves.next[at]);
  if (moves.next[at] === at) stop();
}

function start() {
  if (moves.next[at] === at) show(0);
  playing = setInterval(advance, pause);
  play.textContent = "pause";
  place.setAttribute("aria-live", "off"); // nobody listens as fast as that
}

function go(to) {
  const resting = playing === null;
  stop();
  if (to === "play") {
    if (resting) start();
  } else if (to === "first") show(0);
  else if (to === "last") show(last);
  else show(moves[to][at]);
}

const keys = new Map([
  ["ArrowLeft", "back"], ["ArrowRight", "next"], ["Home", "first"], ["End", "last"],
  ["PageUp", "previousLevel"], ["PageDown", "nextLevel"], [" ", "play"],
]);

document.addEventListener("keydown", (event) => {
  const to = keys.get(event.key);
  if (!to || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (to === "play" && event.target.tagName === "BUTTON") return; // the button's own key
  event.preventDefault();
  go(to);
});
element("controls").addEventListener("click", (event) => {
  if (event.target.dataset.to) go(event.target.dataset.to);
});
slider.addEventListener("input", () => {
  stop();
  show(Number(slider.value));
});
addEventListener("hashchange", showAddressed);

show(0);
showAddressed();
