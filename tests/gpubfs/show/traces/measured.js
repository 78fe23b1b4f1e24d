// What is wrong with where things stand on the page: a list of sentences, empty if nothing is.
() => {
  const found = [];
  const visible = (it) => it.offsetParent !== null && it.getClientRects().length > 0;
  const all = (where) => [...document.querySelectorAll(where)].filter(visible);
  const named = (it) => `${it.tagName.toLowerCase()}.${it.className} “${it.textContent.trim().slice(0, 30)}”`;
  const covers = (one, other) => {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  };
  const apart = (items) => {
    for (let one = 0; one < items.length; one++) {
      for (let other = one + 1; other < items.length; other++) {
        if (covers(items[one], items[other])) found.push(`${named(items[one])} covers ${named(items[other])}`);
      }
    }
  };
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  scrollTo(0, 0);
  apart([...all("#controls button"), ...all("#message, #find, #place, h1, #time")]);
  apart([...all(".pane"), ...all("#top, .heading")]);
  for (const pane of all(".pane")) {
    const box = pane.getBoundingClientRect(), body = pane.querySelector(".body");
    if (box.left < 0 || box.right > innerWidth) found.push(`${named(pane)} is outside of the window`);
    if (body.clientHeight < 60) found.push(`${named(pane)} has no room`);
    if (body.scrollWidth > body.clientWidth) found.push(`${named(pane)} is wider than its place`);
    if (body.scrollHeight > body.clientHeight + 1 && !/auto|scroll/.test(getComputedStyle(body).overflowY)) found.push(`${named(pane)} is cut off`);
    apart([...pane.querySelectorAll("header > *")].filter(visible));
    for (const item of [...body.querySelectorAll("*")].filter((it) => it instanceof HTMLElement && visible(it))) {
      const own = item.getBoundingClientRect();
      if (own.right > box.right + 1 || own.left < box.left - 1) found.push(`${named(item)} reaches beyond its pane`);
      const style = getComputedStyle(item);
      const hides = /hidden|clip/.test(style.overflow) && !item.matches("meter");
      if (hides && (item.scrollWidth > item.clientWidth + 1 || item.scrollHeight > item.clientHeight + 1)) found.push(`${named(item)} is cut off`);
    }
    for (const cells of pane.querySelectorAll(".cells")) apart([...cells.querySelectorAll(".label, .pointer, .cell .touch")].filter(visible).slice(0, 80));
    for (const items of [".lane", ".strip", ".access", ".singles > div", ".counter", ".line", ".cells > *"]) apart([...pane.querySelectorAll(items)].filter(visible).slice(0, 80));
  }
  return [...new Set(found)].slice(0, 12);
}
