import { decodedLayers, mayBeEscaped, toOriginalSpan } from "./decoded-layers.ts";
import { elementValues } from "./element-values.ts";
import { namedValues, valueAfter } from "./named-values.ts";
import { maskSpans, redactedMark, type TextSpan } from "./span.ts";

type IsSecretKey = (key: string) => boolean;

// Spelled out, because a pattern for both cases takes twice as long, and this one is asked of every text.
const candidatePattern = /[:=<]|[bB][eE][aA][rR][eE][rR]|PRIVATE KEY|["'`][ \t]{0,4}\\{0,4}["'`]/;
// The end is optional, so that one unclosed key is masked to the end of the text and the search stays linear.
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

/** What a pattern finds, without the words before it. */
const matchSpans = (text: string, pattern: RegExp): TextSpan[] =>
  Array.from(text.matchAll(pattern), ({ 0: found, 1: before = "", index }) => ({
    start: index + before.length,
    end: index + found.length,
  }));

/** What only shows once escapes are undone, where it stands in the text itself. */
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
    // A quote that was escaped looks like the value's end here, but not below, if the separator stands there too.
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
 * Secrets that a text gives away by its own words: `password=…`, `"api_key": "…"` in any half-broken JSON,
 * `<password>…</password>`, header lines, bearer tokens, logins in URLs, private keys; also where they are escaped.
 * In doubt it masks too much, so it is for records, not for what a model must work with.
 */
export const maskSecretText = (text: string, isSecretKey: IsSecretKey): string => {
  const plain = maskPlain(text, isSecretKey);
  return mayBeEscaped(plain) ? maskSpans(plain, escapedSpans(plain, isSecretKey)) : plain;
};
