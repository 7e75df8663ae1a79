/** Rectangles in the viewport: { left, top, right, bottom }. */

function intersect(a, b) {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

function contains(box, x, y) {
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
}

/** The part of an element that is in view: what it and the scrolling elements around it do not cut off. */
function visibleBox(element) {
  let box = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
    if (at === document.body || at === document.documentElement) break;
    const isControl = at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement;
    if (isControl || getComputedStyle(at).overflow !== "visible") box = intersect(box, innerBox(at));
  }
  return box;
}

/** The box of an element without borders and scroll bars. */
function innerBox(element) {
  const outer = element.getBoundingClientRect();
  const scale = element.offsetWidth ? outer.width / element.offsetWidth : 1;
  const left = outer.left + element.clientLeft * scale;
  const top = outer.top + element.clientTop * scale;
  return { left, top, right: left + element.clientWidth * scale, bottom: top + element.clientHeight * scale, scale };
}
