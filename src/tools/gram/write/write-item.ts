import type {
  Annotated,
  Arrow,
  Bracket,
  Element,
  Item,
  Path,
  PathNode,
  Property,
  Subject,
} from "../document.ts";
import { maxGramDepth } from "../limits.ts";
import { commentsAfter, commentsBefore, commentsInside, separatedList } from "./comments.ts";
import { concat, type Doc, groupDoc, hardLine, nestDoc, softLine, spaceLine, textDoc } from "./doc.ts";
import { failUnwritable, writeIdentity, writeKey, writeLabels, writeSymbol } from "./write-names.ts";
import { enclosed, type WriteStyle, writeValue } from "./write-value.ts";

/** Without the comments around it. */
export const writeItem = (item: Item, style: WriteStyle): Doc => {
  if (item.kind === "annotated") return writeAnnotated(item, style);
  return item.kind === "path" ? writePath(item, style) : writeBracket(item, style, 1);
};

export const writeProperties = (
  properties: readonly Property[],
  comments: readonly Doc[],
  style: WriteStyle,
): Doc => {
  const list = separatedList(properties, spaceLine, ({ key, double, value }) =>
    concat([textDoc(`${writeKey(key)}${double === true ? "::" : ":"} `), writeValue(value, style)]),
  );
  return enclosed("{", list, comments, "}");
};

const writeSubject = (subject: Subject, style: WriteStyle): Doc | undefined => {
  const { identity, labels, properties } = subject;
  const name = (identity === undefined ? "" : writeIdentity(identity)) + writeLabels(labels);
  const comments = commentsInside(subject.comments);
  if (properties.length === 0 && comments.length === 0) return name === "" ? undefined : textDoc(name);
  const record = writeProperties(properties, comments, style);
  return name === "" ? record : concat([textDoc(`${name} `), record]);
};

/** Broken only for comments. */
const bracketed = (open: string, subject: Doc | undefined, comments: readonly Doc[], close: string): Doc => {
  const start = subject === undefined ? [textDoc(open)] : [textDoc(open), subject];
  if (comments.length === 0) return concat([...start, textDoc(close)]);
  return concat([...start, nestDoc(comments), hardLine, textDoc(close)]);
};

const writeBracket = (bracket: Bracket, style: WriteStyle, depth: number): Doc => {
  if (depth > maxGramDepth)
    return failUnwritable(`it has more than ${maxGramDepth} levels of nested brackets`, bracket.at);
  const subject = writeSubject(bracket.subject, style);
  const comments = commentsInside(bracket.comments);
  if (bracket.elements.length === 0) return bracketed("[", subject, comments, "]");
  const elements = separatedList(bracket.elements, spaceLine, (each) => writeElement(each, style, depth));
  const start = subject === undefined ? [textDoc("[|")] : [textDoc("["), subject, textDoc(" |")];
  return groupDoc([...start, nestDoc([spaceLine, elements, ...comments]), softLine, textDoc("]")]);
};

const writeElement = (element: Element, style: WriteStyle, depth: number): Doc => {
  if (element.kind === "reference") return textDoc(writeIdentity(element.identity));
  return element.kind === "path" ? writePath(element, style) : writeBracket(element, style, depth + 1);
};

const writePath = ({ nodes, arrows, at }: Path, style: WriteStyle): Doc => {
  const [first, ...rest] = nodes;
  if (first === undefined || rest.length !== arrows.length) {
    return failUnwritable("a path must have one more node than arrows", at);
  }
  if (rest.length === 0) return writeNode(first, style);
  const hops = rest.flatMap((node, index) => [softLine, writeStep(arrows[index]!, node, style)]);
  return groupDoc([writeNode(first, style), ...commentsAfter(first.comments), nestDoc(hops)]);
};

const writeStep = (arrow: Arrow, node: PathNode, style: WriteStyle): Doc => {
  const comments = commentsBefore(node.comments);
  const gap = comments.length === 0 ? [] : [hardLine, ...comments];
  return concat([
    ...commentsBefore(arrow.comments),
    writeArrow(arrow, style),
    ...gap,
    writeNode(node, style),
    ...commentsAfter(node.comments),
  ]);
};

const writeNode = (node: PathNode, style: WriteStyle): Doc =>
  bracketed("(", writeSubject(node.subject, style), commentsInside(node.comments), ")");

const writeArrow = (arrow: Arrow, style: WriteStyle): Doc => {
  const { family, direction, subject } = arrow;
  const left = direction === "left" || direction === "both" ? `<${family}` : family;
  const right = direction === "right" || direction === "both" ? `${family}>` : family;
  const inner = subject === undefined ? undefined : writeSubject(subject, style);
  const comments = commentsInside(arrow.comments);
  if (inner === undefined && comments.length === 0) return textDoc(left + right);
  return bracketed(`${left}[`, inner, comments, `]${right}`);
};

const writeAnnotated = ({ subject, target, at }: Annotated, style: WriteStyle): Doc => {
  const { identity, labels, properties } = subject;
  const head = (identity === undefined ? "" : writeIdentity(identity)) + writeLabels(labels);
  if (head === "" && properties.length === 0) return failUnwritable("an annotation needs an item", at);
  const docs: Doc[] = head === "" ? [] : [textDoc(`@@${head}`), spaceLine];
  for (const property of properties) {
    const key = writeSymbol(property.key, property.at);
    const value = writeValue(property.value, style);
    docs.push(
      ...commentsBefore(property.comments),
      concat([textDoc(`@${key}(`), value, textDoc(")")]),
      ...commentsAfter(property.comments),
    );
    docs.push(spaceLine);
  }
  const written = target.kind === "path" ? writePath(target, style) : writeBracket(target, style, 1);
  return groupDoc([...docs, ...commentsBefore(target.comments), written]);
};
