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
import { mostDepth } from "../limits.ts";
import { after, before, inside, separated } from "./comments.ts";
import { all, type Doc, group, hardLine, nest, softLine, spaceLine, text } from "./doc.ts";
import { enclosed, type Style, writeValue } from "./value.ts";
import { unwritable, writeIdentity, writeKey, writeLabels, writeSymbol } from "./words.ts";

/** An item without the comments around it. */
export const writeItem = (item: Item, style: Style): Doc => {
  if (item.kind === "annotated") return writeAnnotated(item, style);
  return item.kind === "path" ? writePath(item, style) : writeBracket(item, style, 1);
};

export const writeProperties = (
  properties: readonly Property[],
  comments: readonly Doc[],
  style: Style,
): Doc => {
  const list = separated(properties, spaceLine, ({ key, double, value }) =>
    all([text(`${writeKey(key)}${double === true ? "::" : ":"} `), writeValue(value, style)]),
  );
  return enclosed("{", list, comments, "}");
};

/** Undefined for a subject that says nothing. */
const writeSubject = (subject: Subject, style: Style): Doc | undefined => {
  const { identity, labels, properties } = subject;
  const name = (identity === undefined ? "" : writeIdentity(identity)) + writeLabels(labels);
  const comments = inside(subject.comments);
  if (properties.length === 0 && comments.length === 0) return name === "" ? undefined : text(name);
  const record = writeProperties(properties, comments, style);
  return name === "" ? record : all([text(`${name} `), record]);
};

/** Brackets around a subject alone; they break only for comments. */
const around = (open: string, subject: Doc | undefined, comments: readonly Doc[], close: string): Doc => {
  const start = subject === undefined ? [text(open)] : [text(open), subject];
  if (comments.length === 0) return all([...start, text(close)]);
  return all([...start, nest(comments), hardLine, text(close)]);
};

const writeBracket = (bracket: Bracket, style: Style, depth: number): Doc => {
  if (depth > mostDepth)
    return unwritable(`it has more than ${mostDepth} brackets within each other`, bracket.at);
  const subject = writeSubject(bracket.subject, style);
  const comments = inside(bracket.comments);
  if (bracket.elements.length === 0) return around("[", subject, comments, "]");
  const elements = separated(bracket.elements, spaceLine, (each) => writeElement(each, style, depth));
  const start = subject === undefined ? [text("[|")] : [text("["), subject, text(" |")];
  return group([...start, nest([spaceLine, elements, ...comments]), softLine, text("]")]);
};

const writeElement = (element: Element, style: Style, depth: number): Doc => {
  if (element.kind === "reference") return text(writeIdentity(element.identity));
  return element.kind === "path" ? writePath(element, style) : writeBracket(element, style, depth + 1);
};

const writePath = ({ nodes, arrows, at }: Path, style: Style): Doc => {
  const [first, ...rest] = nodes;
  if (first === undefined || rest.length !== arrows.length) {
    return unwritable("a path has one node more than arrows", at);
  }
  if (rest.length === 0) return writeNode(first, style);
  const hops = rest.flatMap((node, index) => [softLine, writeHop(arrows[index]!, node, style)]);
  return group([writeNode(first, style), ...after(first.comments), nest(hops)]);
};

const writeHop = (arrow: Arrow, node: PathNode, style: Style): Doc => {
  const comments = before(node.comments);
  const gap = comments.length === 0 ? [] : [hardLine, ...comments];
  return all([
    ...before(arrow.comments),
    writeArrow(arrow, style),
    ...gap,
    writeNode(node, style),
    ...after(node.comments),
  ]);
};

const writeNode = (node: PathNode, style: Style): Doc =>
  around("(", writeSubject(node.subject, style), inside(node.comments), ")");

const writeArrow = (arrow: Arrow, style: Style): Doc => {
  const { family, direction, subject } = arrow;
  const left = direction === "left" || direction === "both" ? `<${family}` : family;
  const right = direction === "right" || direction === "both" ? `${family}>` : family;
  const inner = subject === undefined ? undefined : writeSubject(subject, style);
  const comments = inside(arrow.comments);
  if (inner === undefined && comments.length === 0) return text(left + right);
  return around(`${left}[`, inner, comments, `]${right}`);
};

const writeAnnotated = ({ subject, target, at }: Annotated, style: Style): Doc => {
  const { identity, labels, properties } = subject;
  const head = (identity === undefined ? "" : writeIdentity(identity)) + writeLabels(labels);
  if (head === "" && properties.length === 0) return unwritable("an annotation says something", at);
  const docs: Doc[] = head === "" ? [] : [text(`@@${head}`), spaceLine];
  for (const property of properties) {
    const key = writeSymbol(property.key, property.at);
    const value = writeValue(property.value, style);
    docs.push(
      ...before(property.comments),
      all([text(`@${key}(`), value, text(")")]),
      ...after(property.comments),
    );
    docs.push(spaceLine);
  }
  const written = target.kind === "path" ? writePath(target, style) : writeBracket(target, style, 1);
  return group([...docs, ...before(target.comments), written]);
};
