import { toPointer } from "../../../base/json/json-value.ts";
import { excerptAt } from "../../../base/text/visible.ts";
import type { RemoteTool } from "../../../types/mcp.ts";
import type { FlagCode, FlagMatch, FlagSeverity } from "./flag.ts";

interface TextPathStep {
  readonly before: TextPathStep | undefined;
  readonly step: string | number;
  readonly depth: number;
}

export interface DefinitionText {
  readonly text: string;
  readonly place: TextPathStep;
  /** Keys are checked for suspicious characters only. */
  readonly isKey: boolean;
  /** Such as a pattern or a reference. */
  readonly isMachineReadable: boolean;
  readonly parameter: string | undefined;
}

interface PendingText {
  readonly value: unknown;
  readonly place: TextPathStep;
  readonly parameter: string | undefined;
}

const maxTexts = 50_000;
const maxDepth = 500;
const machineKeywords = new Set<unknown>([
  "pattern",
  "$ref",
  "$schema",
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
]);

export const pointerOfPath = (place: TextPathStep): string => {
  const steps: (string | number)[] = [];
  for (let at: TextPathStep | undefined = place; at !== undefined; at = at.before) steps.push(at.step);
  return toPointer(steps.reverse());
};

/** Returns false if the definition is too large. Iterative, because the server controls the depth. */
export const walkTexts = (tool: RemoteTool, visit: (found: DefinitionText) => void): boolean => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const fields = { annotations, outputSchema, inputSchema, description, title, name };
  const open: PendingText[] = Object.entries(fields).map(([step, value]) => ({
    value,
    place: { before: undefined, step, depth: 0 },
    parameter: undefined,
  }));
  let left = maxTexts;
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { value, place, parameter } = here;
    if (--left < 0 || place.depth > maxDepth) return false;
    if (typeof value === "string")
      visit({
        text: value,
        place,
        isKey: false,
        isMachineReadable: machineKeywords.has(place.step),
        parameter,
      });
    else if (typeof value === "object" && value !== null) left -= expandValue(value, here, open, visit);
  }
  return true;
};

const expandValue = (
  value: object,
  { place, parameter }: PendingText,
  open: PendingText[],
  visit: (found: DefinitionText) => void,
): number => {
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    for (let at = Math.min(value.length, maxTexts) - 1; at >= 0; at--)
      open.push({ value: value[at], place: { before: place, step: at, depth }, parameter });
    return value.length > maxTexts ? maxTexts : 0;
  }
  const isParameters = place.step === "properties" && rootStepOf(place) === "inputSchema";
  const keys = Object.keys(value);
  for (let at = Math.min(keys.length, maxTexts) - 1; at >= 0; at--) {
    const key = keys[at]!;
    const inner = { before: place, step: key, depth };
    const about = isParameters ? key : parameter;
    visit({
      text: key,
      place: inner,
      isKey: true,
      isMachineReadable: false,
      parameter: isParameters ? key : undefined,
    });
    open.push({ value: (value as Record<string, unknown>)[key], place: inner, parameter: about });
  }
  return keys.length > maxTexts ? maxTexts : 0;
};

const rootStepOf = (place: TextPathStep): string | number => {
  let at = place;
  while (at.before !== undefined) at = at.before;
  return at.step;
};

const plainTextPattern = /^[\t\n\r\x20-\x7e]*$/;
const suspiciousCharacterPattern = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const pictograph = /^\p{Extended_Pictographic}$/u;
const keycapBase = /^[#*0-9]$/;
const joiningScriptPattern =
  /^[\p{Script=Arab}\p{Script=Syrc}\p{Script=Nkoo}\p{Script=Mong}\p{Script=Deva}\p{Script=Beng}\p{Script=Guru}\p{Script=Gujr}\p{Script=Orya}\p{Script=Taml}\p{Script=Telu}\p{Script=Knda}\p{Script=Mlym}\p{Script=Sinh}\p{Script=Khmr}\p{Script=Mymr}\p{Script=Tibt}]$/u;
const rightToLeft = /[\p{Script=Arab}\p{Script=Hebr}\p{Script=Syrc}\p{Script=Thaa}\p{Script=Nkoo}]/u;
const mongolian = /^\p{Script=Mong}$/u;
const han = /^\p{Script=Han}$/u;
const symbol = /^\p{Sm}$/u;
const braille = /^[\u2801-\u28ff]$/;
/** Format characters with a visible glyph. */
const visibleFormatPattern =
  /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1345f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]$/u;
/** The only flags that are written with tag characters. */
const tagFlags = new Set(["gbeng", "gbsct", "gbwls"]);

const characterBefore = (text: string, at: number): string => {
  const low = text.charCodeAt(at - 1);
  const start = low >= 0xdc00 && low <= 0xdfff ? at - 2 : at - 1;
  return start < 0 ? "" : String.fromCodePoint(text.codePointAt(start)!);
};

const characterAfter = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "";

/** Skips variation selectors and skin tones. */
const pictographBefore = (text: string, at: number): string => {
  let end = at;
  let found = characterBefore(text, end);
  while (found === "\ufe0f" || /^[\u{1f3fb}-\u{1f3ff}]$/u.test(found)) {
    end -= found.length;
    found = characterBefore(text, end);
  }
  return found;
};

const isValidJoiner = (text: string, at: number): boolean => {
  const [left, right] = [characterBefore(text, at), characterAfter(text, at + 1)];
  if (text[at] === "\u200d" && pictograph.test(pictographBefore(text, at)) && pictograph.test(right))
    return true;
  // A joiner after a mark may end a word.
  return (
    joiningScriptPattern.test(left) &&
    (joiningScriptPattern.test(right) || (/^\p{M}$/u.test(left) && !/^\p{Cf}$/u.test(right)))
  );
};

const isValidVariationSelector = (text: string, at: number, code: number): boolean => {
  const left = characterBefore(text, at);
  if (code >= 0x180b && code <= 0x180f) return mongolian.test(left);
  if (code >= 0xe0100) return han.test(left);
  if (code < 0xfe0e) return han.test(left) || symbol.test(left) || mongolian.test(left);
  if (keycapBase.test(left)) return characterAfter(text, at + 1) === "\u20e3";
  return pictograph.test(left) || /^\p{Emoji}$/u.test(left) || symbol.test(left) || han.test(left);
};

const isTag = (code: number): boolean => code >= 0xe0000 && code <= 0xe007f;

/** Length of the tag sequence of a flag after U+1F3F4 at `at`, or 0. */
const flagLength = (text: string, at: number): number => {
  if (characterBefore(text, at) !== "\u{1f3f4}") return 0;
  const tags = text.slice(at, at + 12);
  const spelled = [...tags].slice(0, 5).map((tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000));
  return tags.endsWith("\u{e007f}") && tagFlags.has(spelled.join("")) ? tags.length : 0;
};

const flagOfCharacter = (
  text: string,
  at: number,
  character: string,
): readonly [FlagCode, FlagSeverity] | undefined => {
  const code = character.codePointAt(0)!;
  if (code === 9 || code === 10 || code === 13) return undefined;
  if (code === 0x1b || code === 0x9b) return ["terminal_escapes", "danger"];
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return ["control_characters", "danger"];
  if (code >= 0xd800 && code <= 0xdfff) return ["control_characters", "danger"];
  if (isTag(code)) return ["tag_characters", "danger"];
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
    return ["bidi_controls", "danger"];
  if (code === 0x200e || code === 0x200f || code === 0x61c)
    return ["bidi_controls", rightToLeft.test(text) ? "notice" : "danger"];
  if (/^\p{Co}$/u.test(character)) return ["private_use", "notice"];
  if ((code === 0x200c || code === 0x200d) && isValidJoiner(text, at)) return undefined;
  if (/^\p{Variation_Selector}$/u.test(character) && isValidVariationSelector(text, at, code))
    return undefined;
  if (
    code === 0x2800 &&
    (braille.test(characterBefore(text, at)) || braille.test(characterAfter(text, at + 1)))
  )
    return undefined;
  return visibleFormatPattern.test(character) ? undefined : ["invisible_characters", "danger"];
};

export const findSuspiciousCharacters = (text: string): readonly FlagMatch[] => {
  if (plainTextPattern.test(text)) return [];
  const seen = new Map<FlagCode, FlagMatch>();
  let skip = -1;
  for (const { 0: character, index: at } of text.matchAll(suspiciousCharacterPattern)) {
    if (at < skip) continue;
    const flag = isTag(character.codePointAt(0)!) ? flagLength(text, at) : 0;
    if (flag > 0) skip = at + flag;
    else {
      const kind = flagOfCharacter(text, at, character);
      if (kind === undefined || seen.get(kind[0])?.severity === "danger") continue;
      if (seen.has(kind[0]) && kind[1] === "notice") continue;
      seen.set(kind[0], { code: kind[0], severity: kind[1], excerpt: excerptAt(text, at, character.length) });
    }
  }
  return [...seen.values()];
};
