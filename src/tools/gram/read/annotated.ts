import { charCodes } from "../characters.ts";
import type { Annotated, Bracket, Path, Property, Subject } from "../document.ts";
import { readAnnotation } from "./annotation.ts";
import { attachComments } from "./attach-comments.ts";
import { readBracket } from "./bracket.ts";
import { excerptOf } from "./hints.ts";
import { refuseDuplicates } from "./key.ts";
import { readPath } from "./path.ts";
import type { Scanner } from "./scanner.ts";
import { readIdentity, readLabels } from "./subject.ts";

export const readAnnotated = (scanner: Scanner): Annotated => {
  const at = scanner.position();
  const head = scanner.codeAt(scanner.offset + 1) === charCodes.at ? readHead(scanner) : { labels: [] };
  const properties: Property[] = [];
  // Earlier comments belong to the item.
  while (scanner.skip() === charCodes.at) {
    const before = scanner.takeComments();
    refuseSecondHead(scanner);
    const property = readAnnotation(scanner);
    scanner.skip();
    properties.push(attachComments(property, before, scanner.takeAfter()));
  }
  refuseDuplicates(scanner, properties);
  const before = scanner.takeComments();
  const target = attachComments(readTarget(scanner, properties), before, undefined);
  return { kind: "annotated", subject: { ...head, properties }, target, at };
};

const readHead = (scanner: Scanner): Pick<Subject, "identity" | "labels"> => {
  scanner.offset += 2;
  const identity = readIdentity(scanner);
  const labels = readLabels(scanner);
  if (identity === undefined && labels.length === 0) {
    const hint = "`@@` gives the annotation an identity or labels: `@@note:Comment (a)`.";
    scanner.fail(
      "bad-annotation",
      `Expected an identity or a label after \`@@\`, found ${scanner.found()}.`,
      hint,
    );
  }
  return identity === undefined ? { labels } : { identity, labels };
};

const refuseSecondHead = (scanner: Scanner): void => {
  if (scanner.codeAt(scanner.offset + 1) !== charCodes.at) return;
  const hint = "One `@@` at most, and it stands first.";
  scanner.fail("bad-annotation", "Expected `@key(value)` or an item, found `@@`.", hint);
};

const readTarget = (scanner: Scanner, properties: readonly Property[]): Bracket | Path => {
  const code = scanner.skip();
  if (code === charCodes.open) return readPath(scanner);
  if (code === charCodes.openBracket) return readBracket(scanner);
  const last = properties.at(-1);
  const hint =
    code === charCodes.openBrace
      ? "Properties of an annotation are written `@key(value)`."
      : last?.value.kind === "symbol"
        ? `If \`(${excerptOf(last.value.name)})\` is the item, give \`@${excerptOf(last.key)}\` a value before it: \`@${excerptOf(last.key)}(true) (${excerptOf(last.value.name)})\`.`
        : "An annotation stands before a node, a path or a bracket.";
  return scanner.fail(
    "bad-annotation",
    `Expected an item after the annotation, found ${scanner.found()}.`,
    hint,
  );
};
