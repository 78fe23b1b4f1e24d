// Beside a page in a notebook: tells it whether what is around it is dark and how high its window should be, which it
// cannot see itself, and makes it as high as its panes are.
(() => {
  const frame = document.currentScript.previousElementSibling;
  const high = parseInt(frame.style.height);
  const theme = () => {
    const { jpThemeLight, vscodeThemeKind, theme } = document.body.dataset;
    if (jpThemeLight !== undefined) return jpThemeLight === "true" ? "light" : "dark";
    if (vscodeThemeKind) return /light/.test(vscodeThemeKind) ? "light" : "dark";
    if (/^(light|dark)$/.test(theme)) return theme;
    return null;
  };
  const tell = () => frame.contentWindow?.postMessage({ gpubfs: "around", theme: theme(), high }, "*");
  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || data?.gpubfs !== "opened") return;
    if (data.height > 0) frame.style.height = `${Math.ceil(data.height)}px`;
    tell();
  });
  frame.addEventListener("load", tell);
  new MutationObserver(tell).observe(document.body, { attributes: true });
})();
