import { parse, TomlDate, TomlError } from "smol-toml";
import type { ParsedText } from "./read-jsonc.ts";

/** TOML. What does not follow the rules is refused by its place, never guessed at: a command is read out of it. */
export const readToml = (text: string): ParsedText => {
  try {
    return { ok: true, value: withoutDates(parse(text.replace(/^\uFEFF/, ""))) };
  } catch (error) {
    const { line, column } = error instanceof TomlError ? error : { line: 1, column: 1 };
    return { ok: false, line, column };
  }
};

/** Settings are texts, numbers, lists and tables; a date stays as it was written, as far as that is known. */
const withoutDates = (value: unknown): unknown => {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutDates(member)]));
};
