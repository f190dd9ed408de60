/**
 * Approximates the JSON size in bytes up to `limit`. Untrusted values may be nested too deeply for recursion.
 */
export const sizeOf = (value: unknown, limit: number): number => {
  // UTF-8 needs at most three bytes per UTF-16 code unit, so short strings are not measured.
  if (typeof value === "string") return value.length * 3 <= limit ? value.length : textSize(value, limit);
  const stack: unknown[] = [value];
  let size = 0;
  while (stack.length > 0 && size <= limit) {
    const next = stack.pop();
    if (typeof next === "string") size += textSize(next, limit) + 3;
    else if (Array.isArray(next)) {
      size += 2;
      for (let i = 0; i < next.length && i <= limit; i++) stack.push(next[i]);
    } else if (typeof next === "object" && next !== null) {
      size += 2;
      for (const key in next) {
        size += key.length + 4;
        stack.push((next as Record<string, unknown>)[key]);
      }
    } else size += 5;
  }
  return size;
};

const textSize = (text: string, limit: number): number =>
  text.length > limit ? text.length : Buffer.byteLength(text);
