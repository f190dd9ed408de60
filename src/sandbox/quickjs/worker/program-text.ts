import { stripTypeScriptTypes } from "node:module";
import type { Language } from "../../sandbox.ts";
import type { GuestError } from "../worker-messages.ts";
import { GuestOverSignal } from "./guest-ending.ts";

export const programFile = "program.js";

const leadingLines = 1;

const wrapSource = (source: string): string =>
  `(async function (input, tools, console) { "use strict";\n${source}\n})`;

/** Strips types without moving characters. */
export const toProgramText = (source: string, language: Language): string => {
  if (language !== "typescript") return wrapSource(source);
  try {
    return stripTypeScriptTypes(wrapSource(source));
  } catch (thrown) {
    throw toSyntaxError(thrown as Error & { readonly code?: unknown });
  }
};

/** Any other error code means that the TypeScript parser failed. */
const toSyntaxError = (thrown: Error & { readonly code?: unknown }): unknown => {
  const { code, message, stack } = thrown;
  const isUnsupported = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
  if (!isUnsupported && code !== "ERR_INVALID_TYPESCRIPT_SYNTAX") return new RangeError(message);
  const advice = isUnsupported
    ? ". Types are only removed, not compiled: write an enum, for example, as plain JavaScript."
    : "";
  // Node reports the location only in the first line of the stack.
  const line = Number(/^[^\n]*?:(\d+)/.exec(String(stack))?.[1]) - leadingLines;
  return new GuestOverSignal({
    kind: "error",
    name: "SyntaxError",
    message: `${message}${advice}`,
    ...(line > 0 ? { line } : {}),
  });
};

/** Untrusted, but bounded. */
export interface GuestErrorInfo {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

const framePattern = new RegExp(`\\b${programFile.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`);

/** Maps locations to the program's source and removes other frames. */
export const toGuestError = ({ name, message, stack = "" }: GuestErrorInfo, source: string): GuestError => {
  const lastLine = source.split("\n").length;
  const lines: string[] = [];
  let place: { readonly line: number; readonly column?: number } | undefined;
  for (const text of stack.split("\n")) {
    const found = framePattern.exec(text);
    if (found === null) continue;
    // An unexpected end is reported after the last line.
    const line = Math.min(Math.max(1, Number(found[1]) - leadingLines), lastLine);
    const column = found[2] === undefined ? undefined : Number(found[2]);
    place ??= column === undefined ? { line } : { line, column };
    const where = column === undefined ? `${line}` : `${line}:${column}`;
    if (lines.length < 20) lines.push(text.trim().replace(framePattern, `program:${where}`));
  }
  return {
    kind: "error",
    name,
    message,
    ...place,
    ...(lines.length === 0 ? {} : { stack: lines.join("\n") }),
  };
};
