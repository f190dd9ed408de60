import { parse, TomlDate, TomlError } from "smol-toml";
import type { ParsedText } from "./read-jsonc.ts";

/** Invalid TOML is refused, never repaired, because commands are read from it. */
export const readToml = (text: string): ParsedText => {
  try {
    return { ok: true, value: withoutDates(parse(text.replace(/^\uFEFF/, ""))) };
  } catch (error) {
    const { line, column } = error instanceof TomlError ? error : { line: 1, column: 1 };
    return { ok: false, line, column };
  }
};

const withoutDates = (value: unknown): unknown => {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutDates(member)]));
};
