/** Join the parts of addresses, paths, file names, numbers and identifiers. */
const joiners = new Set([..."._-@/+:%&=~\\$#"]);
/** Belong to the local part of an e-mail address too. */
const addressJoiners = new Set([...joiners, ..."'’`!*?^{|}"]);

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;
/** Scripts that put no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && wordCharacter.test(character);

/** Case, width and invisible characters do not distinguish values. */
export const foldText = (text: string): string =>
  // Most texts are ASCII, for which lower case is enough.
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .replace(/\p{Cf}/gu, "")
        .toLowerCase();

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

const foldedTexts = new WeakMap<object, string>();

/** The folded text of a record, computed once. */
export const foldedTextOf = (record: { readonly text: string }): string => {
  let folded = foldedTexts.get(record);
  if (folded === undefined) {
    folded = foldText(unescapeJson(record.text));
    foldedTexts.set(record, folded);
  }
  return folded;
};

/** Values are compared as the tool returned them, not as JSON writes them. */
const unescapeJson = (text: string): string =>
  /^[[{"]/.test(text) && text.includes("\\")
    ? text.replace(/\\(?:u([\da-fA-F]{4})|(.))/g, (_, code?: string, character = "") =>
        code === undefined
          ? (escapes[character] ?? character)
          : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: " ", f: " " };

/** Longer values are in no text: a search for them could take long. */
const maxValueLength = 500;
const maxWords = 50;

/**
 * Index of a value in a folded text, as whole tokens: `b.com` is not found in `a@b.com`, nor `13` in `2013`.
 * -1 if it is not there.
 */
export const findValue = (foldedText: string, value: string): number => {
  const folded = foldText(value).trim();
  if (folded.length > maxValueLength || !isWordCharacter(wordCharacter.exec(folded)?.[0])) return -1;
  if (/\s/.test(folded)) return findPhrase(foldedText, folded.split(/\s+/));
  for (let at = foldedText.indexOf(folded); at >= 0; at = foldedText.indexOf(folded, at + 1)) {
    if (isWhole(foldedText, at, at + folded.length)) return at;
  }
  return -1;
};

/** White space between the words may differ. */
const findPhrase = (text: string, words: readonly string[]): number => {
  if (words.length > maxWords) return -1;
  const [first = "", ...rest] = words;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    let end = at + first.length;
    const hasRest = rest.every((word) => {
      const gap = /^\s+/.exec(text.slice(end, end + maxGap))?.[0].length ?? 0;
      if (gap === 0 || !text.startsWith(word, end + gap)) return false;
      end += gap + word.length;
      return true;
    });
    if (hasRest && isWhole(text, at, end)) return at;
  }
  return -1;
};

const maxGap = 40;

/** A path or a link ends at white space, a quote or a bracket: a part of it names something else. */
const isEndOfPath = (rest: string): boolean => /^[.,;:!?]*(?:$|["'`)\]}>\s])/.test(rest);

const isWhole = (text: string, start: number, end: number): boolean => {
  if (/[/\\]/.test(text.slice(start, end)) && !isEndOfPath(text.slice(end, end + 20))) return false;
  const joining = text.slice(start, end).includes("@") ? addressJoiners : joiners;
  return isBoundary(text, start, { step: -1, joining }) && isBoundary(text, end - 1, { step: 1, joining });
};

/**
 * A joiner next to the value belongs to it if a letter or digit follows: `.` in `b.com.evil`, not at the end of
 * a sentence. So does a letter or digit behind a joiner at the value's own edge: `/home/` in `/home/ada`.
 */
const isBoundary = (
  text: string,
  edge: number,
  { step, joining }: { readonly step: 1 | -1; readonly joining: ReadonlySet<string> },
): boolean => {
  const own = characterAt(text, edge, step === 1 ? -1 : 1) ?? "";
  const next = characterAt(text, edge + step, step);
  if (isWordCharacter(next)) {
    if (unspaced.test(next!) || unspaced.test(own)) return true;
    return !isWordCharacter(own) && !joining.has(own);
  }
  if (next === undefined || !joining.has(next)) return true;
  return !isWordCharacter(characterAt(text, edge + 2 * step, step));
};

/** Outside of the basic plane a character has two units. */
const characterAt = (text: string, index: number, step: 1 | -1): string | undefined => {
  const unit = text[index];
  if (unit === undefined) return undefined;
  const isHalf = unit >= "\ud800" && unit <= "\udfff";
  if (!isHalf) return unit;
  return step === 1 ? text.slice(index, index + 2) : text.slice(index - 1, index + 1);
};

/** Long keys with letters and digits occur nowhere by chance. */
const isDistinctiveId = (value: string): boolean =>
  value.length >= 8 && /\d/.test(value) && /\p{L}/u.test(value);

/**
 * Index of an id in a folded text where the text names it as one: `id: 13`, `"file_id": "13"`, `#13`. The 13
 * of `June 13` is no id.
 */
export const findId = (foldedText: string, value: string): number => {
  const folded = foldText(value).trim();
  if (folded.length > maxValueLength || !isWordCharacter(wordCharacter.exec(folded)?.[0])) return -1;
  if (isDistinctiveId(folded)) return findValue(foldedText, folded);
  for (let at = foldedText.indexOf(folded); at >= 0; at = foldedText.indexOf(folded, at + 1)) {
    if (!isWhole(foldedText, at, at + folded.length) && foldedText[at - 1] !== "#") continue;
    if (idLabel.test(foldedText.slice(Math.max(0, at - maxLabel), at))) return at;
  }
  return -1;
};

const maxLabel = 24;

/** The text in front of an id. */
const idLabel = /(?:^|[^\p{L}])(?:\p{L}+[_-])?(?:ids?_?["']?|numbers?|n[or]\.)\s*(?:is|[:=])?\s*["'#]?$|#$/u;
