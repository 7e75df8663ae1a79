/** Findings in a text that changes. */

/** How many units two texts have in common at their starts and ends; no character of two units is cut. */
function commonEnds(one, other) {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  if (start && /[\ud800-\udbff]/.test(one[start - 1])) start--;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  if (end && /[\udc00-\udfff]/.test(one.at(-end))) end--;
  return { start, end };
}

/** Moves findings with the text: those before the change stay, those behind it move, those in it are dropped. */
function moveFindings(findings, before, after) {
  const { start: same, end: tail } = commonEnds(before, after);
  const behind = before.length - tail;
  const shift = after.length - before.length;
  return findings.flatMap((finding) => {
    const { start, end } = finding;
    // A letter typed at the end of a word makes it another word.
    const isLonger = end === same && /^\p{L}{2}/u.test(after.slice(end - 1, end + 1));
    if (end <= same && !isLonger) return [finding];
    return start < behind ? [] : [{ ...finding, start: start + shift, end: end + shift }];
  });
}

/** What is underlined: the changed text without spaces around it, or the word beside an insertion. */
function underlinedSpan(text, { start, end }) {
  const changed = text.slice(start, end);
  if (changed.trim()) return { start: end - changed.trimStart().length, end: start + changed.trimEnd().length };
  const after = /^\s*(\p{sc=Han}|[^\s\p{sc=Han}]+)/u.exec(text.slice(end, end + 80));
  const before = /(\p{sc=Han}|[^\s\p{sc=Han}]+)\s*$/u.exec(text.slice(Math.max(0, start - 80), start));
  if (before && !(after && /^\s/.test(text.slice(start - 1, start)))) {
    return { start: start - before[0].length, end: start - before[0].length + before[1].length };
  }
  if (!after) return { start, end };
  return { start: end + after[0].length - after[1].length, end: end + after[0].length };
}
