/**
 * About the bytes of a value as JSON, counted no further than just past `enough`. It keeps its own stack: a foreign
 * value may be nested deeper than calls can be.
 */
export const sizeOf = (value: unknown, enough: number): number => {
  // A character has three bytes at most, so that a short text need not be measured.
  if (typeof value === "string") return value.length * 3 <= enough ? value.length : textSize(value, enough);
  const waiting: unknown[] = [value];
  let size = 0;
  while (waiting.length > 0 && size <= enough) {
    const next = waiting.pop();
    if (typeof next === "string") size += textSize(next, enough) + 3;
    else if (Array.isArray(next)) {
      size += 2;
      for (let i = 0; i < next.length && i <= enough; i++) waiting.push(next[i]);
    } else if (typeof next === "object" && next !== null) {
      size += 2;
      for (const key in next) {
        size += key.length + 4;
        waiting.push((next as Record<string, unknown>)[key]);
      }
    } else size += 5;
  }
  return size;
};

/** A text has as many bytes as characters at least. */
const textSize = (text: string, enough: number): number =>
  text.length > enough ? text.length : Buffer.byteLength(text);
