import { charCodes, isDigit, isSymbol, isSymbolPart, isSymbolStart } from "../characters.ts";
import type { Position } from "../document.ts";
import { excerptOf, foreignHint } from "./hints.ts";
import type { Scanner } from "./scanner.ts";
import { readQuoted } from "./string.ts";

export const readSymbol = (scanner: Scanner): string => {
  const start = scanner.offset;
  let end = start + 1;
  while (isSymbolPart(scanner.codeAt(end))) end++;
  scanner.offset = end;
  return scanner.text.slice(start, end);
};

export const readSymbolKey = (scanner: Scanner): string => {
  const code = scanner.skip();
  if (isSymbolStart(code)) return readSymbol(scanner);
  if (code === charCodes.quote || code === charCodes.backtick) return readQuoted(scanner);
  if (code === charCodes.apostrophe) {
    const at = scanner.position();
    const key = readQuoted(scanner);
    const hint = `Write ${isSymbol(key) ? excerptOf(key) : `"${excerptOf(key)}"`}: a key is bare, or in double quotes or backticks.`;
    scanner.report("quoted-key", "Expected a key, found one in single quotes.", hint, at);
    return key;
  }
  const message = `Expected a key, found ${scanner.found()}.`;
  return scanner.fail("bad-key", message, keyHint(scanner, code));
};

const keyHint = (scanner: Scanner, code: number): string | undefined => {
  if (isDigit(code) || code === charCodes.minus) return `Quote the key: "${scanner.word()}".`;
  if (code === charCodes.comma) return "Remove one comma.";
  if (code === charCodes.dot) return "Gram cannot spread a record: write its properties out.";
  return foreignHint(scanner, "Put a key with characters other than A to Z in double quotes.");
};

/** Readers of gram differ in which key counts. */
export const refuseDuplicates = (
  scanner: Scanner,
  parts: readonly { readonly key: string; readonly at?: Position }[],
): void => {
  if (parts.length < 2 || scanner.keepDuplicates || areKeysUnique(parts)) return;
  const seen = new Set<string>();
  for (const { key, at } of parts) {
    if (seen.has(key)) {
      const message = `Expected each key once, found ${JSON.stringify(excerptOf(key))} again.`;
      const hint = "Remove one of the two: gram readers disagree on which one is used.";
      scanner.report("duplicate-key", message, hint, at);
    } else seen.add(key);
  }
};

/** Avoids a set for short records. */
const areKeysUnique = (parts: readonly { readonly key: string }[]): boolean => {
  if (parts.length > 8) return false;
  for (let later = 1; later < parts.length; later++) {
    for (let index = 0; index < later; index++) if (parts[index]!.key === parts[later]!.key) return false;
  }
  return true;
};
