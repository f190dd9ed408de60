import type { JsonObject } from "../json/is-object.ts";
import { needsKey } from "./ledger/place.ts";

/** A word as a POSIX shell reads it back. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
/** What a command that only looks into a ledger needs to find the same one. */
export const sameLedger = (given: JsonObject): string => typed(given, ["config", "ledger"]);

/** What a command that goes on needs to be the same caller with the same tools. */
export const sameRuntime = (given: JsonObject): string =>
  typed(given, [
    "library",
    "model",
    "bind",
    "max-turns",
    "record",
    "tools",
    "config",
    "allow",
    "as",
    "session",
    "repair",
    "ledger",
  ]);

/** Options as they were given, to be pasted behind another command. */
const typed = (given: JsonObject, names: readonly string[]): string =>
  names
    .flatMap((name) => [given[name]].flat().map((value) => [name, value] as const))
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => ` ${wordsOf(name, value)}`)
    .join("");

const wordsOf = (name: string, value: unknown): string => {
  if (value === true) return `--${name}`;
  const text = String(value);
  // Whoever typed a password need not see it stay on the screen.
  if (name === "ledger" && hasPassword(text)) return `--${name} "$HAFT_LEDGER"`;
  return text.startsWith("-") ? quoted(`--${name}=${text}`) : `--${name} ${quoted(text)}`;
};

const hasPassword = (place: string): boolean =>
  needsKey(place) && (!URL.canParse(place) || new URL(place).password !== "" || /password/i.test(place));
