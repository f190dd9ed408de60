import { decodedLayers, mayBeEscaped, toOriginalSpan } from "./decoded-layers.ts";
import { maskSpans, redactedMark, type TextSpan } from "./span.ts";

type IsSecretKey = (key: string) => boolean;

// Twice as fast as the `i` flag.
const candidatePattern = /[:=<]|[bB][eE][aA][rR][eE][rR]|PRIVATE KEY|["'`][ \t]{0,4}\\{0,4}["'`]/;
// The optional end keeps the search linear and masks an unclosed key.
const privateKey =
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g;
const urlLogin = /(:\/\/)[^\s/@"'?#]{1,500}(?=@)/g;
const bearer = /\b(bearer\s{1,4})(?=[^\s"',;]{0,200}\d)[^\s"',;]{8,}/gi;

const maskPlain = (text: string, isSecretKey: IsSecretKey): string => {
  if (!candidatePattern.test(text)) return text;
  const first = text
    .replace(privateKey, redactedMark)
    .replace(urlLogin, `$1${redactedMark}`)
    .replace(bearer, `$1${redactedMark}`);
  const named = maskSpans(first, namedValues(first, isSecretKey));
  return named.includes("<") ? maskSpans(named, elementValues(named, isSecretKey)) : named;
};

const separatorPattern = /[:=]|["'`](?=[ \t]{0,4}\\{0,4}["'`])/g;
const foreignLetter = /[\p{L}\p{N}]/u;
const authSchemePattern = /^(?:bearer|basic|digest|token)\s+/i;
const harmlessPattern = /^(?:true|false|null|undefined)\b/;
const numberPattern = /^-?\d[\d.]{0,30}(?=[\s,}\]]|$)/;
const assignedPattern = /^(?:\[redacted\]|[^\s&;,"'<>)\]}])+/;

/** ASCII tables, because these checks run for every character. */
const characterTable = (pattern: RegExp): readonly boolean[] =>
  Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
const nameCharacters = characterTable(/[\w. -]/);
const quoteCharacters = characterTable(/[\s"'`\\]/);

const isNameAt = (text: string, at: number): boolean =>
  nameCharacters[text.charCodeAt(at)] ?? foreignLetter.test(text[at]!);

const isQuoteOrSpaceAt = (text: string, at: number): boolean =>
  quoteCharacters[text.charCodeAt(at)] ?? /\s/.test(text[at]!);

const isQuoteAt = (text: string, at: number): boolean =>
  text[at] === '"' || text[at] === "'" || text[at] === "`";

const nameBefore = (text: string, at: number): string => {
  let end = at;
  while (end > 0 && end > at - 6 && isQuoteOrSpaceAt(text, end - 1)) end--;
  let start = end;
  while (start > 0 && end - start < 60 && isNameAt(text, start - 1)) start--;
  return text.slice(start, end);
};

/** In JSON inside JSON both quotes have backslashes. */
const quotedSpan = (text: string, at: number, backslashes: number): TextSpan => {
  const start = at + 1;
  for (let end = text.indexOf(text[at]!, start); end >= 0; end = text.indexOf(text[at]!, end + 1)) {
    let run = 0;
    while (run <= backslashes && text[end - 1 - run] === "\\") run++;
    if (run <= backslashes) return { start, end: end - run };
  }
  return { start, end: text.length };
};

/** If the end is unclear, the span includes the rest of the line. */
const valueAfter = (text: string, after: number, isAssigned: boolean): TextSpan | undefined => {
  let start = after;
  while (start < text.length && /[ \t=:>]/.test(text[start]!)) start++;
  let open = start;
  while (text[open] === "\\") open++;
  if (isQuoteAt(text, open)) return quotedSpan(text, open, open - start);
  const near = text.slice(start, start + 64);
  if (harmlessPattern.test(near)) return undefined;
  const digits = numberPattern.exec(near);
  if (digits !== null) return { start, end: start + digits[0].length };
  if (isAssigned) {
    const first = start + (authSchemePattern.exec(near)?.[0].length ?? 0);
    return { start, end: first + (assignedPattern.exec(text.slice(first))?.[0].length ?? 0) };
  }
  const lineEnd = text.indexOf("\n", start);
  return { start, end: lineEnd < 0 ? text.length : lineEnd };
};

interface NamedValue extends TextSpan {
  readonly separator: TextSpan;
  readonly isAssigned: boolean;
}

const namedValues = (text: string, isSecretKey: (key: string) => boolean): readonly NamedValue[] => {
  const values: NamedValue[] = [];
  separatorPattern.lastIndex = 0;
  for (let found = separatorPattern.exec(text); found !== null; found = separatorPattern.exec(text)) {
    const name = nameBefore(text, found.index);
    if (name === "" || !isSecretKey(name)) continue;
    const separator = { start: found.index, end: found.index + 1 };
    const isAssigned = found[0] === "=";
    const span = valueAfter(text, separator.end, isAssigned);
    if (span === undefined || span.end <= span.start) continue;
    values.push({ ...span, separator, isAssigned });
    separatorPattern.lastIndex = span.end;
  }
  return values;
};

const matchSpans = (text: string, pattern: RegExp): TextSpan[] =>
  Array.from(text.matchAll(pattern), ({ 0: found, 1: before = "", index }) => ({
    start: index + before.length,
    end: index + found.length,
  }));

/** Secrets that show only after unescaping, as spans of the original text. */
const escapedSpans = (text: string, isSecretKey: IsSecretKey): readonly TextSpan[] => {
  const layers = decodedLayers(text);
  const texts = [text, ...layers.map((layer) => layer.text)];
  const spans: TextSpan[] = [];
  for (const [below, layer] of layers.entries()) {
    if (!candidatePattern.test(layer.text)) continue;
    const named = namedValues(layer.text, isSecretKey);
    const others = [privateKey, urlLogin, bearer].flatMap((pattern) => matchSpans(layer.text, pattern));
    for (const span of [...named, ...others, ...elementValues(layer.text, isSecretKey)])
      spans.push(toOriginalSpan(layers, below, span));

    const covered = texts.map(() => 0);
    // A decoded quote may end the value here but not in the layers below.
    for (const { separator, isAssigned } of named) {
      let at = separator;
      for (let depth = below; depth >= 0; depth--) {
        at = layers[depth]!.below(at);
        if (at.end - at.start > 1) break;
        if (at.end <= covered[depth]!) continue;
        const span = valueAfter(texts[depth]!, at.end, isAssigned);
        if (span === undefined || span.end <= span.start) continue;
        covered[depth] = span.end;
        spans.push(toOriginalSpan(layers, depth - 1, span));
      }
    }
  }
  return spans;
};

/**
 * Masks secrets that the text itself reveals: `password=…`, header lines, bearer tokens, URL logins, private
 * keys. In doubt it masks too much.
 */
export const maskSecretText = (text: string, isSecretKey: IsSecretKey): string => {
  const plain = maskPlain(text, isSecretKey);
  return mayBeEscaped(plain) ? maskSpans(plain, escapedSpans(plain, isSecretKey)) : plain;
};

const opening = /<([\w.:-]{1,60})(?:\s[^<>]*)?>/g;
const closing = /<\/([\w.:-]{1,60})/g;
const tagOrLine = /[<\n]/g;

/** Keeps the search linear. */
const lastClosings = (text: string): ReadonlyMap<string, number> => {
  const last = new Map<string, number>();
  for (const found of text.matchAll(closing)) last.set(found[1]!, found.index);
  return last;
};

const closingAfter = (text: string, name: string, start: number): number => {
  const end = new RegExp(`</${name.replaceAll(".", "\\.")}(?![\\w.:-])`, "g");
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
};

/** An unclosed element is often a placeholder. */
const lineAfter = (text: string, start: number): TextSpan => {
  tagOrLine.lastIndex = start;
  const end = tagOrLine.exec(text)?.index ?? text.length;
  return { start, end: /\s/.test(text.charAt(start)) ? start : end };
};

const elementValues = (text: string, isSecretKey: (key: string) => boolean): readonly TextSpan[] => {
  const spans: TextSpan[] = [];
  let last: ReadonlyMap<string, number> | undefined;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const name = found[1]!;
    if (found[0].endsWith("/>") || !isSecretKey(name.slice(name.lastIndexOf(":") + 1))) continue;
    const start = opening.lastIndex;
    last ??= lastClosings(text);
    const isClosed = (last.get(name) ?? -1) >= start;
    const span = isClosed ? { start, end: closingAfter(text, name, start) } : lineAfter(text, start);
    if (span.end <= span.start) continue;
    spans.push(span);
    opening.lastIndex = span.end;
  }
  return spans;
};

const secretNames = [
  "password|passwd|passphrase|passcode|pwd|secrets?|credentials?|token|(?:access|refresh|auth|api|bearer)tokens",
  "(?:api|private|access|secret|signing|encryption|ssh|master|account|shared|service)keys?",
  "authorization|cookies?|jwt|connectionstring|seedphrase|mnemonic|(?:recovery|backup)codes?",
].join("|");

/** Endings that keep a name secret: a password's hash is masked, its length is not. */
const secretSuffixes =
  "value|header|text|string|raw|hash|base64|pem|confirmation|confirm|repeat|new|old|current|v?\\d+";

const secretNamePattern = new RegExp(
  `(?:^(?:auth|pass|pin|otp|cvv|cvc)|${secretNames})(?:${secretSuffixes}){0,3}$`,
);

const normalizedName = (key: string): string =>
  key
    .slice(-120)
    .toLowerCase()
    .replace(/[\s._-]+/g, "");

/**
 * The last word decides: "accessToken" is secret, "maxTokens" and "secretName" are not. Escapes in a name are
 * decoded.
 */
export const secretKeys = (more?: RegExp | readonly string[]): ((key: string) => boolean) => {
  // A global or sticky pattern keeps `lastIndex`.
  const pattern =
    more instanceof RegExp ? new RegExp(more.source, more.flags.replace(/[gy]/g, "")) : undefined;
  const listed = new Set(more instanceof RegExp ? [] : more?.map(normalizedName));
  const isSecretName = (key: string): boolean => {
    const name = normalizedName(key);
    return secretNamePattern.test(name) || listed.has(name) || (pattern?.test(key) ?? false);
  };
  const known = new Map<string, boolean>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const isSecret =
      isSecretName(key) || decodedLayers(key.slice(-500)).some(({ text }) => isSecretName(text));
    if (known.size >= 1_000) known.clear();
    if (key.length <= 64) known.set(key, isSecret);
    return isSecret;
  };
};
