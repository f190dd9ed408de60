import { charCodes } from "../characters.ts";
import type { Arrow, Comment, Path, PathNode, Position, Subject } from "../document.ts";
import { expectClosingBracket } from "./read-delimited-list.ts";
import { attachComments, type Scanner } from "./scanner.ts";
import { isEmptySubject, readSubject } from "./subject.ts";

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

const startsArrow = (code: number): boolean => isFamily(code) || code === charCodes.less;

const isFamily = (code: number): boolean =>
  code === charCodes.minus || code === charCodes.equals || code === charCodes.tilde;

interface ArrowBody {
  readonly subject?: Subject;
  readonly inside?: readonly Comment[];
}

interface ArrowStart {
  readonly at: Position;
  readonly left: boolean;
  readonly family: number;
  readonly sign: Arrow["family"];
}

/** Whitespace may separate the two ends. */
const readArrow = (scanner: Scanner): Arrow => {
  const start = readStart(scanner);
  const { at, left, sign: family } = start;
  if (scanner.codeAt(scanner.offset) === charCodes.greater) return readHalfArrow(scanner, start);
  const next = scanner.skip();
  if (next === charCodes.open) return readHalfArrow(scanner, start);
  const inner = next === charCodes.openBracket ? readInner(scanner) : {};
  const right = readEnd(scanner, start);
  const direction = left ? (right ? "both" : "left") : right ? "right" : "none";
  const { subject, inside } = (right ? undefined : readTooLong(scanner, start)) ?? inner;
  const arrow = { family, direction, at } as const;
  const completeArrow = subject === undefined || isEmptySubject(subject) ? arrow : { ...arrow, subject };
  return inside === undefined ? completeArrow : { ...completeArrow, comments: { inside } };
};

const readStart = (scanner: Scanner): ArrowStart => {
  const at = scanner.position();
  const left = scanner.codeAt(scanner.offset) === charCodes.less;
  if (left) scanner.offset++;
  const family = scanner.codeAt(scanner.offset);
  if (!isFamily(family)) {
    scanner.fail("bad-arrow", `Expected \`<--\`, found \`<\` and then ${scanner.found()}.`, undefined, at);
  }
  scanner.offset++;
  return { at, left, family, sign: String.fromCharCode(family) as Arrow["family"] };
};

const readInner = (scanner: Scanner): ArrowBody => {
  const at = scanner.position();
  scanner.offset++;
  const subject = readSubject(scanner, "the arrow's subject");
  expectClosingBracket(scanner, charCodes.closeBracket, "the arrow", at);
  const inside = scanner.takeComments();
  return inside === undefined ? { subject } : { subject, inside };
};

/** Returns whether it has a head. */
const readEnd = (scanner: Scanner, { family, sign }: ArrowStart): boolean => {
  const code = scanner.skip();
  if (code !== family) {
    const expected = `Expected \`${sign}\` to end the arrow`;
    if (!isFamily(code)) scanner.fail("bad-arrow", `${expected}, found ${scanner.found()}.`);
    const hint = `Both ends of an arrow are of the same kind: \`${sign}\`.`;
    scanner.report("mixed-arrow", `${expected}, found \`${String.fromCharCode(code)}\`.`, hint);
  }
  scanner.offset++;
  const head = scanner.codeAt(scanner.offset) === charCodes.greater;
  if (head) scanner.offset++;
  return head;
};

/** Repairs `->`, `<-` and `-`. */
const readHalfArrow = (scanner: Scanner, { at, left, sign }: ArrowStart): Arrow => {
  const head = scanner.codeAt(scanner.offset) === charCodes.greater;
  if (head) scanner.offset++;
  const whole = `${left ? "<" : ""}${sign}${sign}${head ? ">" : ""}`;
  scanner.report("short-arrow", "Expected an arrow, found half of one.", `Write \`${whole}\`.`, at);
  return { family: sign, direction: "none", at };
};

/** Repairs `--[r]->` and `--->`. */
const readTooLong = (scanner: Scanner, { at, family, sign }: ArrowStart): ArrowBody | undefined => {
  const code = scanner.codeAt(scanner.offset);
  if (code !== charCodes.openBracket && code !== family) return undefined;
  const hint =
    code === family
      ? `Write two signs: \`${sign}${sign}>\`.`
      : `Write one sign on each side: \`${sign}[r]${sign}>\`.`;
  scanner.report("long-arrow", "Expected an arrow, found one that is too long.", hint, at);
  const inner = code === charCodes.openBracket ? readInner(scanner) : {};
  while (scanner.codeAt(scanner.offset) === family) scanner.offset++;
  if (scanner.codeAt(scanner.offset) === charCodes.greater) scanner.offset++;
  return inner;
};

const readNode = (scanner: Scanner): PathNode => {
  const at = scanner.position();
  scanner.offset++;
  const subject = readSubject(scanner, "the node's subject");
  expectClosingBracket(scanner, charCodes.close, "the node", at);
  const inside = scanner.takeComments();
  return inside === undefined ? { subject, at } : { subject, at, comments: { inside } };
};
