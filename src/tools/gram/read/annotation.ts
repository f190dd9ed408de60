import { charCodes, isSymbolStart } from "../characters.ts";
import type { Property } from "../document.ts";
import { excerptOf } from "./hints.ts";
import { readSymbol } from "./key.ts";
import type { Scanner } from "./scanner.ts";
import { readValue } from "./value.ts";

/** `@key(value)` */
export const readGramAnnotation = (scanner: Scanner): Property => {
  const at = scanner.position();
  scanner.offset++;
  const code = scanner.skip();
  if (!isSymbolStart(code)) {
    const hint =
      code === charCodes.backtick || code === charCodes.quote
        ? "The key of an annotation is a bare symbol."
        : undefined;
    scanner.fail("bad-annotation", `Expected a key after \`@\`, found ${scanner.found()}.`, hint);
  }
  const key = readSymbol(scanner);
  if (scanner.skip() !== charCodes.open) {
    const message = `Expected \`(\` after \`@${excerptOf(key)}\`, found ${scanner.found()}.`;
    scanner.fail("bad-annotation", message, `An annotation has a value: \`@${excerptOf(key)}(true)\`.`);
  }
  scanner.offset++;
  const value = readValue(scanner);
  if (scanner.skip() !== charCodes.close) {
    const message = `Expected \`)\` after the value of \`@${excerptOf(key)}\`, found ${scanner.found()}.`;
    scanner.fail("bad-annotation", message, `An annotation has one value: \`@${excerptOf(key)}(true)\`.`);
  }
  scanner.offset++;
  return { key, value, at };
};

export const refuseAnnotations = (scanner: Scanner, where: string): void => {
  while (scanner.skip() === charCodes.at) {
    const at = scanner.position();
    if (scanner.codeAt(scanner.offset + 1) !== charCodes.at && !isAnnotation(scanner)) {
      const hint = "Put a name that begins with `@` in backticks.";
      scanner.fail("bad-identity", `Expected an identity, found \`@\`.`, hint, at);
    }
    const hint =
      "Annotations are allowed only before top-level items: write it there, or as a property in braces.";
    scanner.report("annotation-inside", `Expected ${where}, found an annotation.`, hint, at);
    if (scanner.codeAt(scanner.offset + 1) === charCodes.at)
      scanner.fail("unexpected", "Expected no `@@` here.", hint, at);
    readGramAnnotation(scanner);
  }
};

const isAnnotation = (scanner: Scanner): boolean =>
  /^@\s*[A-Za-z_][0-9A-Za-z_.@-]*\s*\(/.test(scanner.text.slice(scanner.offset, scanner.offset + 200));
