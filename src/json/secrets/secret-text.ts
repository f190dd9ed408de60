import { mask } from "./secret-values.ts";

const worthALook = /[:=]|bearer|PRIVATE KEY/i;
// The end is optional, so that one unclosed key is masked to the end of the text and the search stays linear.
const privateKey =
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g;
const urlLogin = /:\/\/[^\s/@"'?#]{1,500}@/g;
const bearer = /\b(bearer\s{1,4})(?=[^\s"',;]{0,200}\d)[^\s"',;]{8,}/gi;

const nameCharacter = /[\p{L}\p{N}_. -]/u;
const scheme = /^(?:bearer|basic|digest|token)\s+/i;
const harmless = /^(?:true|false|null|undefined)\b/;
const number = /^-?\d[\d.]{0,30}(?=[\s,}\]]|$)/;
const assigned = /^[^\s&;,"'<>)\]}]+/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The name before the separator at `at`, out of its quotes if it has some. */
const nameBefore = (text: string, at: number): string => {
  let end = at;
  while (end > 0 && end > at - 6 && /[\s"'`\\]/.test(text[end - 1]!)) end--;
  let start = end;
  while (start > 0 && end - start < 60 && nameCharacter.test(text[start - 1]!)) start--;
  return text.slice(start, end);
};

/** What stands between the quotes that open at `at`. JSON inside JSON has backslashes before both quotes. */
const quotedSpan = (text: string, at: number, backslashes: number): Span => {
  const start = at + 1;
  for (let end = text.indexOf(text[at]!, start); end >= 0; end = text.indexOf(text[at]!, end + 1)) {
    let run = 0;
    while (run <= backslashes && text[end - 1 - run] === "\\") run++;
    if (run <= backslashes) return { start, end: end - run };
  }
  return { start, end: text.length };
};

/** The value after the separator at `at`. Where its end is in doubt the rest of the line goes with it. */
const valueAfter = (text: string, at: number): Span | undefined => {
  let start = at + 1;
  while (start < text.length && /[ \t=:>]/.test(text[start]!)) start++;
  let open = start;
  while (text[open] === "\\") open++;
  if (text[open] === '"' || text[open] === "'" || text[open] === "`") {
    return quotedSpan(text, open, open - start);
  }
  const near = text.slice(start, start + 64);
  if (harmless.test(near)) return undefined;
  const digits = number.exec(near);
  if (digits !== null) return { start, end: start + digits[0].length };
  if (text[at] === "=") {
    const first = start + (scheme.exec(near)?.[0].length ?? 0);
    return { start, end: first + (assigned.exec(text.slice(first))?.[0].length ?? 0) };
  }
  const lineEnd = text.indexOf("\n", start);
  return { start, end: lineEnd < 0 ? text.length : lineEnd };
};

const maskNamed = (text: string, isSecretKey: (key: string) => boolean): string => {
  let masked = "";
  let kept = 0;
  const separator = /[:=]/g;
  for (let found = separator.exec(text); found !== null; found = separator.exec(text)) {
    const name = nameBefore(text, found.index);
    if (name === "" || !isSecretKey(name)) continue;
    const span = valueAfter(text, found.index);
    if (span === undefined || span.end <= span.start) continue;
    masked += text.slice(kept, span.start) + mask;
    kept = span.end;
    separator.lastIndex = span.end;
  }
  return masked + text.slice(kept);
};

/**
 * Secrets that a text gives away by its own words: `password=…`, `"api_key": "…"` in any half-broken JSON,
 * header lines, bearer tokens, logins in URLs, private keys. In doubt it masks too much, so it is for records,
 * not for what a model must work with.
 */
export const maskSecretText = (text: string, isSecretKey: (key: string) => boolean): string => {
  if (!worthALook.test(text)) return text;
  const plain = text.replace(privateKey, mask).replace(urlLogin, `://${mask}@`).replace(bearer, `$1${mask}`);
  return maskNamed(plain, isSecretKey);
};
