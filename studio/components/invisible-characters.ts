export interface VisibleTextPart {
  readonly text: string;
  readonly name?: string;
  readonly about?: string;
}

const characterNames: Readonly<Record<number, readonly [string, string]>> = {
  0: ["NUL", "null"],
  7: ["BEL", "bell"],
  8: ["BS", "backspace"],
  13: ["CR", "carriage return"],
  27: ["ESC", "escape"],
  127: ["DEL", "delete"],
  173: ["SHY", "soft hyphen"],
  1564: ["ALM", "Arabic letter mark"],
  6158: ["MVS", "Mongolian vowel separator"],
  8203: ["ZWSP", "zero width space"],
  8204: ["ZWNJ", "zero width non-joiner"],
  8205: ["ZWJ", "zero width joiner"],
  8206: ["LRM", "left-to-right mark"],
  8207: ["RLM", "right-to-left mark"],
  8232: ["LS", "line separator"],
  8233: ["PS", "paragraph separator"],
  8234: ["LRE", "left-to-right embedding"],
  8235: ["RLE", "right-to-left embedding"],
  8236: ["PDF", "pop directional formatting"],
  8237: ["LRO", "left-to-right override"],
  8238: ["RLO", "right-to-left override"],
  8288: ["WJ", "word joiner"],
  8294: ["LRI", "left-to-right isolate"],
  8295: ["RLI", "right-to-left isolate"],
  8296: ["FSI", "first strong isolate"],
  8297: ["PDI", "pop directional isolate"],
  65279: ["BOM", "zero width no-break space"],
};

// Terminal escape sequences first, then single characters.
const invisiblePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the pattern matches single characters
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)?)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff]|[\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]|\p{Cs}/gu;
const invisibleInLinePattern = new RegExp(`${invisiblePattern.source}|[\\n\\t]`, "gu");

export const splitInvisible = (text: string, isLine = false): readonly VisibleTextPart[] => {
  const parts: VisibleTextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(isLine ? invisibleInLinePattern : invisiblePattern)) {
    // CRLF is a regular line end.
    if (match[0] === "\r" && text[match.index + 1] === "\n" && !isLine) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ text: match[0], ...characterNameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
};

/** For titles, labels and options, where no markup is allowed. */
export const markUnseen = (text: string, most = 300): string =>
  splitInvisible(text.length > most ? `${text.slice(0, most)}…` : text, true)
    .map(({ text: plain, name }) => (name === undefined ? plain : `[${name}]`))
    .join("");

const characterNameOf = (found: string): { readonly name: string; readonly about: string } => {
  if (found === "\n") return { name: "↵", about: "end of line" };
  if (found === "\t") return { name: "⇥", about: "tab" };
  if (found.length > 2 && found.startsWith("\u001b")) {
    const rest = found.slice(1).replaceAll(/[^ -~]/g, "");
    return {
      name: `ESC${rest.length > 12 ? `${rest.slice(0, 12)}…` : rest}`,
      about: "terminal escape sequence",
    };
  }
  const code = found.codePointAt(0)!;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const [name, about] = characterNames[code] ?? [hex, "invisible character"];
  return { name, about: `${about} (${hex})` };
};
