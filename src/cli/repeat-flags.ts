import type { JsonObject } from "../base/json/is-object.ts";
import { shellQuote } from "../base/text/shell-quote.ts";
import { needsLedgerKey } from "./ledger/ledger-place.ts";

/** What a command that only looks into a ledger needs to find the same one. */
export const repeatLedgerFlags = (given: JsonObject): string => repeatFlags(given, ["config", "ledger"]);

/** What a command that goes on needs to be the same caller with the same tools. */
export const repeatRuntimeFlags = (given: JsonObject): string =>
  repeatFlags(given, [
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
const repeatFlags = (given: JsonObject, names: readonly string[]): string =>
  names
    .flatMap((name) => [given[name]].flat().map((value) => [name, value] as const))
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => ` ${flagText(name, value)}`)
    .join("");

const flagText = (name: string, value: unknown): string => {
  if (value === true) return `--${name}`;
  const text = String(value);
  // Whoever typed a password need not see it stay on the screen.
  if (name === "ledger" && hasPassword(text)) return `--${name} "$HAFT_LEDGER"`;
  return text.startsWith("-") ? shellQuote(`--${name}=${text}`) : `--${name} ${shellQuote(text)}`;
};

const hasPassword = (place: string): boolean =>
  needsLedgerKey(place) &&
  (!URL.canParse(place) || new URL(place).password !== "" || /password/i.test(place));
