import type { JsonObject } from "../base/json/json-value.ts";
import { shellQuote } from "../base/text/shell-quote.ts";
import { needsLedgerKey } from "./ledger/known-ledgers.ts";

export const repeatLedgerFlags = (given: JsonObject): string => repeatFlags(given, ["config", "ledger"]);

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

const repeatFlags = (given: JsonObject, names: readonly string[]): string =>
  names
    .flatMap((name) => [given[name]].flat().map((value) => [name, value] as const))
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => ` ${flagText(name, value)}`)
    .join("");

const flagText = (name: string, value: unknown): string => {
  if (value === true) return `--${name}`;
  const text = String(value);
  // Does not print a password.
  if (name === "ledger" && hasPassword(text)) return `--${name} "$HAFT_LEDGER"`;
  return text.startsWith("-") ? shellQuote(`--${name}=${text}`) : `--${name} ${shellQuote(text)}`;
};

const hasPassword = (place: string): boolean =>
  needsLedgerKey(place) &&
  (!URL.canParse(place) || new URL(place).password !== "" || /password/i.test(place));
