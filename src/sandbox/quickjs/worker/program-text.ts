import { stripTypeScriptTypes } from "node:module";
import type { Language } from "../../sandbox.ts";
import type { GuestError } from "../worker-messages.ts";
import { GuestOverSignal } from "./guest-ending.ts";

/** The name under which the program stands in a stack. */
export const programFile = "program.js";

/** Lines before the program's first in what is given to the engine. */
const leadingLines = 1;

const wrapSource = (source: string): string =>
  `(async function (input, tools, console) { "use strict";\n${source}\n})`;

/** The program as the body of an async function, without types, and every character where it was. */
export const toProgramText = (source: string, language: Language): string => {
  if (language !== "typescript") return wrapSource(source);
  try {
    return stripTypeScriptTypes(wrapSource(source));
  } catch (thrown) {
    throw toSyntaxError(thrown as Error & { readonly code?: unknown });
  }
};

/** Anything but these two codes is thrown on: then what reads TypeScript is broken for good in this worker. */
const toSyntaxError = (thrown: Error & { readonly code?: unknown }): unknown => {
  const { code, message, stack } = thrown;
  const isUnsupported = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
  if (!isUnsupported && code !== "ERR_INVALID_TYPESCRIPT_SYNTAX") return new RangeError(message);
  const advice = isUnsupported
    ? ". Only types are taken away: write what has to be compiled, such as an enum, as plain JavaScript."
    : "";
  // Node tells the place in the first line of the stack alone.
  const line = Number(/^[^\n]*?:(\d+)/.exec(String(stack))?.[1]) - leadingLines;
  return new GuestOverSignal({
    kind: "error",
    name: "SyntaxError",
    message: `${message}${advice}`,
    ...(line > 0 ? { line } : {}),
  });
};

/** What a guest says of an error: foreign, but bounded. */
export interface GuestErrorInfo {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

const framePattern = new RegExp(`\\b${programFile.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`);

/** Places in a stack become those of the program's own source; frames of anybody else are left out. */
export const toGuestError = ({ name, message, stack = "" }: GuestErrorInfo, source: string): GuestError => {
  const lastLine = source.split("\n").length;
  const lines: string[] = [];
  let place: { readonly line: number; readonly column?: number } | undefined;
  for (const text of stack.split("\n")) {
    const found = framePattern.exec(text);
    if (found === null) continue;
    // What is missing at the end is only noticed after it.
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
