import { findProblem } from "../../json/exact/find-problem.ts";

export type JsoncReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number };

/**
 * JSON as editors take it: with comments and trailing commas. What is wrong is told by its place alone, since the
 * text around it may be a secret.
 */
export const readJsonc = (text: string): JsoncReading => {
  const json = withoutExtras(text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text);
  try {
    return { ok: true, value: JSON.parse(json) };
  } catch {
    const { line = 1, column = 1 } = findProblem(json, { maxLength: json.length, maxDepth: 1_000 }) ?? {};
    return { ok: false, line, column };
  }
};

/** Comments and trailing commas become spaces, so that every place stays where it was. */
const withoutExtras = (text: string): string => {
  let json = "";
  let at = 0;
  /** What was read last, apart from space: a comma trails only what has a value before it. */
  let last = "";
  const blank = (end: number): void => {
    json += text.slice(at, end).replace(/[^\n\r]/g, " ");
    at = end;
  };
  while (at < text.length) {
    const sign = text[at];
    if (sign === '"') {
      const end = stringEnd(text, at);
      json += text.slice(at, end);
      at = end;
      last = '"';
    } else if (sign === "/" && text[at + 1] === "/") {
      const end = text.indexOf("\n", at);
      blank(end < 0 ? text.length : end);
    } else if (sign === "/" && text[at + 1] === "*") {
      const end = text.indexOf("*/", at + 2);
      blank(end < 0 ? text.length : end + 2);
    } else if (sign === "," && !"{[,".includes(last) && closes(text, at + 1)) {
      blank(at + 1);
      last = ",";
    } else {
      json += sign;
      if (!/\s/.test(sign!)) last = sign!;
      at++;
    }
  }
  return json;
};

const stringEnd = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"' || text[at] === "\n") return at + 1;
  }
  return text.length;
};

/** Whether an object or a list ends here, after spaces and comments. */
const closes = (text: string, from: number): boolean => {
  let at = from;
  for (;;) {
    while (at < text.length && /\s/.test(text[at]!)) at++;
    const opening = text.slice(at, at + 2);
    if (opening !== "//" && opening !== "/*") return text[at] === "}" || text[at] === "]";
    const end = opening === "//" ? text.indexOf("\n", at) : text.indexOf("*/", at + 2);
    if (end < 0) return false;
    at = end + (opening === "//" ? 1 : 2);
  }
};
