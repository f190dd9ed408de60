/** Placeholders of `it.each`: `%s`, `%j`, `$name`, `$0`. */
const placeholder = /%[sdifjoOc#$]|\$[\w.]+/g;

/**
 * Matches the names that Vitest gives to the tests of these titles, with or without the names of their
 * groups.
 */
export const titlePattern = (titles: readonly string[]): RegExp =>
  new RegExp(`(?:^|\\s)(?:${titles.map(sourceOf).join("|")})$`, "s");

const sourceOf = (title: string): string => title.split(placeholder).map(unescapePercent).join(".*");

const unescapePercent = (text: string): string => escapeSource(text.replaceAll("%%", "%"));

const escapeSource = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
