import { charCodes, isDigit, isSymbol, isSymbolPart, isSymbolStart } from "../characters.ts";
import type { Identity, Label, Subject } from "../document.ts";
import { readSymbol } from "./read-delimited-list.ts";
import { readRecord, refuseAnnotations } from "./record.ts";
import { excerptOf, foreignHint, type Scanner } from "./scanner.ts";
import { isFence, readQuoted } from "./string.ts";

const emptyList: readonly never[] = Object.freeze([]);

const emptySubject: Subject = Object.freeze({ labels: emptyList, properties: emptyList });

/** `{}` equals no record. */
export const isEmptySubject = ({ identity, labels, properties, comments }: Subject): boolean =>
  identity === undefined && labels.length + properties.length === 0 && comments === undefined;

export const readSubject = (scanner: Scanner, where: string): Subject => {
  if (scanner.skip() === charCodes.at) refuseAnnotations(scanner, where);
  const identity = readIdentity(scanner);
  const labels = readLabels(scanner);
  if (scanner.skip() === charCodes.openBrace) {
    const { properties, inside } = readRecord(scanner);
    if (inside !== undefined) {
      const rest = { labels, properties, comments: { inside } };
      return identity === undefined ? rest : { identity, ...rest };
    }
    return identity === undefined ? { labels, properties } : { identity, labels, properties };
  }
  if (identity !== undefined) return { identity, labels, properties: emptyList };
  return labels === emptyList ? emptySubject : { labels, properties: emptyList };
};

export const readIdentity = (scanner: Scanner): Identity | undefined => {
  const code = scanner.skip();
  const at = scanner.position();
  if (isSymbolStart(code)) return { kind: "name", name: readSymbol(scanner), at };
  if (code === charCodes.backtick) {
    if (isFence(scanner)) {
      const hint = "Write an identity on one line between single backticks.";
      scanner.fail("bad-identity", "Expected an identity, found a fence.", hint);
    }
    return { kind: "name", name: readQuoted(scanner), at };
  }
  if (code === charCodes.quote || code === charCodes.apostrophe) {
    const name = readQuoted(scanner);
    const hint = `Write ${isSymbol(name) ? `${excerptOf(name)} without quotes` : `\`${excerptOf(name)}\` in backticks`}.`;
    scanner.report("quoted-identity", "Expected an identity, found a quoted string.", hint, at);
    return { kind: "name", name, at };
  }
  if (isDigit(code) || (code === charCodes.minus && isDigit(scanner.codeAt(scanner.offset + 1)))) {
    return { kind: "integer", name: readInteger(scanner), at };
  }
  if (code > 127) {
    const message = `Expected an identity, found ${scanner.found()}.`;
    const hint = foreignHint(scanner, "Put a name with characters other than A to Z in backticks.");
    scanner.fail("bad-identity", message, hint);
  }
  return undefined;
};

const readInteger = (scanner: Scanner): string => {
  const start = scanner.offset;
  const first = scanner.codeAt(start) === charCodes.minus ? start + 1 : start;
  let end = first + 1;
  if (scanner.codeAt(first) !== charCodes.zero) while (isDigit(scanner.codeAt(end))) end++;
  const next = scanner.codeAt(end);
  // `@` starts the next annotation.
  if (isSymbolPart(next) && next !== charCodes.at) {
    const message = `Expected an identity, found \`${scanner.word()}\`.`;
    scanner.fail(
      "bad-identity",
      message,
      `Put a name that begins with a digit in backticks: \`${scanner.word()}\`.`,
    );
  }
  scanner.offset = end;
  return scanner.text.slice(start, end);
};

export const readLabels = (scanner: Scanner): readonly Label[] => {
  if (scanner.skip() !== charCodes.colon) return emptyList;
  // A grown array reserves extra capacity.
  const labels = [readLabel(scanner)];
  while (scanner.skip() === charCodes.colon) labels.push(readLabel(scanner));
  return labels;
};

const readLabel = (scanner: Scanner): Label => {
  const at = scanner.position();
  const double = scanner.codeAt(scanner.offset + 1) === charCodes.colon;
  scanner.offset += double ? 2 : 1;
  const name = readLabelName(scanner);
  return double ? { name, double, at } : { name, at };
};

const labelHint = "Put a label that is not a symbol in backticks.";

const readLabelName = (scanner: Scanner): string => {
  const code = scanner.skip();
  if (isSymbolStart(code)) return readSymbol(scanner);
  if (code === charCodes.backtick && !isFence(scanner)) return readQuoted(scanner);
  const message = `Expected a label after the colon, found ${scanner.found()}.`;
  if (code !== charCodes.quote && code !== charCodes.apostrophe) {
    const hint = isDigit(code) ? labelHint : foreignHint(scanner, labelHint);
    return scanner.fail("bad-label", message, hint);
  }
  const at = scanner.position();
  const name = readQuoted(scanner);
  const hint = `Write ${isSymbol(name) ? `${excerptOf(name)} without quotes` : `\`${excerptOf(name)}\` in backticks`}.`;
  scanner.report("bad-label", message, hint, at);
  return name;
};
