import { charCodes } from "../characters.ts";
import type { Arrow, Path, PathNode } from "../document.ts";
import { readArrow, startsArrow } from "./arrow.ts";
import { attachComments } from "./attach-comments.ts";
import { expectClosingBracket } from "./close.ts";
import type { Scanner } from "./scanner.ts";
import { readSubject } from "./subject.ts";

const emptyList: readonly never[] = Object.freeze([]);

export const readPath = (scanner: Scanner): Path => {
  const at = scanner.position();
  let node = readNode(scanner);
  if (!startsArrow(scanner.skip())) return { kind: "path", nodes: [node], arrows: emptyList, at };
  const nodes: PathNode[] = [];
  const arrows: Arrow[] = [];
  do {
    nodes.push(attachComments(node, undefined, scanner.takeAfter()));
    const before = scanner.takeComments();
    arrows.push(attachComments(readArrow(scanner), before, undefined));
    if (scanner.skip() !== charCodes.open) {
      const hint =
        scanner.codeAt(scanner.offset) === charCodes.openBracket
          ? "Arrows join nodes in parentheses: `(a)-->(b)`; a bracket lists what it joins: `[r | a, b]`."
          : undefined;
      scanner.fail("unexpected", `Expected a node after the arrow, found ${scanner.found()}.`, hint);
    }
    const comments = scanner.takeComments();
    node = attachComments(readNode(scanner), comments, undefined);
  } while (startsArrow(scanner.skip()));
  nodes.push(node);
  return { kind: "path", nodes: nodes.slice(), arrows: arrows.slice(), at };
};

const readNode = (scanner: Scanner): PathNode => {
  const at = scanner.position();
  scanner.offset++;
  const subject = readSubject(scanner, "the node's subject");
  expectClosingBracket(scanner, charCodes.close, "the node", at);
  const inside = scanner.takeComments();
  return inside === undefined ? { subject, at } : { subject, at, comments: { inside } };
};
