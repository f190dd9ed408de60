import type { TextSpan } from "./span.ts";

const opening = /<([\w.:-]{1,60})(?:\s[^<>]*)?>/g;
const closing = /<\/([\w.:-]{1,60})/g;
const tagOrLine = /[<\n]/g;

/** Keeps the search linear. */
const lastClosings = (text: string): ReadonlyMap<string, number> => {
  const last = new Map<string, number>();
  for (const found of text.matchAll(closing)) last.set(found[1]!, found.index);
  return last;
};

const closingAfter = (text: string, name: string, start: number): number => {
  const end = new RegExp(`</${name.replaceAll(".", "\\.")}(?![\\w.:-])`, "g");
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
};

/** An unclosed element is often a placeholder. */
const lineAfter = (text: string, start: number): TextSpan => {
  tagOrLine.lastIndex = start;
  const end = tagOrLine.exec(text)?.index ?? text.length;
  return { start, end: /\s/.test(text.charAt(start)) ? start : end };
};

export const elementValues = (text: string, isSecretKey: (key: string) => boolean): readonly TextSpan[] => {
  const spans: TextSpan[] = [];
  let last: ReadonlyMap<string, number> | undefined;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const name = found[1]!;
    if (found[0].endsWith("/>") || !isSecretKey(name.slice(name.lastIndexOf(":") + 1))) continue;
    const start = opening.lastIndex;
    last ??= lastClosings(text);
    const isClosed = (last.get(name) ?? -1) >= start;
    const span = isClosed ? { start, end: closingAfter(text, name, start) } : lineAfter(text, start);
    if (span.end <= span.start) continue;
    spans.push(span);
    opening.lastIndex = span.end;
  }
  return spans;
};
