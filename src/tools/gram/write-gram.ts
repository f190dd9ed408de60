import { ToolDefinitionError } from "../../types/errors.ts";
import { canBeFenced, isInteger, isSymbol, maxGramDepth } from "./characters.ts";
import {
  concat,
  type Doc,
  emptyDoc,
  groupDoc,
  hardLine,
  nestDoc,
  rawDoc,
  renderDoc,
  softLine,
  spaceLine,
  textDoc,
} from "./doc.ts";
import type {
  Annotated,
  Arrow,
  Bracket,
  Comment,
  Comments,
  Element,
  GramDocument,
  Identity,
  Item,
  Label,
  MapEntry,
  Node,
  NumberValue,
  Path,
  PathNode,
  Position,
  Property,
  Scalar,
  StringValue,
  Subject,
  TaggedValue,
  Value,
} from "./document.ts";

/** Options of `writeGram`. */
export interface WriteGramOptions {
  /** Breaks lines wider than `width` and those with fenced texts. Without it, each item is on one line. */
  readonly pretty?: boolean;
  /** The line width when pretty; 100 by default. */
  readonly width?: number;
}

/**
 * Writes text that `readGram` reads back as the same document, comments included. Order and the choice of `:`
 * or `::` are kept; quotes, spaces and empty records are normalized. Throws if a generated document is not
 * expressible.
 */
export const writeGram = (document: GramDocument, options: WriteGramOptions = {}): string => {
  const pretty = options.pretty === true;
  const width = pretty ? (options.width ?? 100) : Number.POSITIVE_INFINITY;
  const style: WriteStyle = { breakAtFence: pretty };
  const chunks: string[] = [];
  const add = (docs: readonly Doc[]): void => {
    const written = renderDoc(concat(docs), width);
    chunks.push(chunks.length === 0 ? written.trimStart() : written);
  };
  const { header, items, comments } = document;
  if (header !== undefined) {
    const record = writeProperties(header.properties, commentsInside(header.comments), style);
    add([...commentsBefore(header.comments), record, ...commentsAfter(header.comments), hardLine]);
  }
  for (const item of items) {
    const gap = item.apart === true ? [hardLine] : [];
    add([
      ...commentsBefore(item.comments),
      ...gap,
      writeItem(item, style),
      ...commentsAfter(item.comments),
      hardLine,
    ]);
  }
  if (comments !== undefined) add(commentsBefore({ before: comments }));
  return chunks.join("");
};

/** A generated comment may contain line breaks. */
const lines = (comment: Comment): readonly string[] => comment.text.split(/\r\n|\r|\n/);

const commentLines = (comments: readonly Comment[]): Doc[] =>
  comments.flatMap((comment) => {
    const written = lines(comment).flatMap((each) => [textDoc(`//${each.trimEnd()}`), hardLine]);
    return comment.apart === true ? [hardLine, ...written] : written;
  });

/** Each line is terminated. */
const commentsBefore = (comments: Comments | undefined): readonly Doc[] =>
  comments?.before === undefined ? [] : commentLines(comments.before);

/** Must be followed by a line of the same group. */
const commentsAfter = (comments: Comments | undefined): readonly Doc[] =>
  comments?.after === undefined
    ? []
    : [{ ...textDoc(` //${lines(comments.after).join(" ").trimEnd()}`), hard: true }];

/** Each line starts with a line break. */
const commentsInside = (comments: Comments | undefined): readonly Doc[] =>
  comments?.inside === undefined
    ? []
    : comments.inside.flatMap((comment) => {
        const written = lines(comment).flatMap((each) => [hardLine, textDoc(`//${each.trimEnd()}`)]);
        return comment.apart === true ? [hardLine, ...written] : written;
      });

const separatedList = <T extends Node>(parts: readonly T[], line: Doc, write: (part: T) => Doc): Doc => {
  const docs: Doc[] = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) docs.push(line);
    docs.push(...commentsBefore(part.comments), write(part));
    if (index < parts.length - 1) docs.push(commaDoc);
    docs.push(...commentsAfter(part.comments));
  }
  return docs.length === 0 ? emptyDoc : concat(docs);
};

const commaDoc = textDoc(",");

interface WriteStyle {
  readonly breakAtFence: boolean;
}

const writeValue = (value: Value, style: WriteStyle): Doc => {
  if (value.kind === "array") {
    if (value.items.length === 0) failUnwritable("gram has no empty array", value.at);
    const items = separatedList(value.items, spaceLine, (each) => writeScalar(each, style));
    return enclosed("[", items, commentsInside(value.comments), "]");
  }
  if (value.kind === "map") {
    const entries = separatedList(value.entries, spaceLine, (each) => writeEntry(each, style));
    return enclosed("{", entries, commentsInside(value.comments), "}");
  }
  return writeScalar(value, style);
};

/** Generated documents may contain what gram cannot express. */
const failUnwritable = (what: string, at?: Position): never => {
  const where = at === undefined ? "" : ` (read at line ${at.line}, column ${at.column})`;
  throw new ToolDefinitionError("invalid_definition", `This document is not gram: ${what}${where}.`);
};

const escapes: { readonly [character: string]: string } = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
};

// Other gram parsers look for a comment after an opening quote.
const commentAtStart = /^(\s*)\/\//;

const quotedWith = (quote: '"' | "`", value: string): string => {
  const body = value.replace(
    /[\b\f\n\r\t\\"`]/g,
    (each) => escapes[each] ?? (each === quote ? `\\${each}` : each),
  );
  return quote + body.replace(commentAtStart, "$1\\//") + quote;
};

const bareOrQuoted = (quote: '"' | "`", name: string): string =>
  isSymbol(name) ? name : quotedWith(quote, name);

const writeKey = (key: string): string => bareOrQuoted('"', key);

const writeIdentity = ({ kind, name, at }: Identity): string => {
  if (kind === "name") return bareOrQuoted("`", name);
  return isInteger(name) ? name : failUnwritable(`${JSON.stringify(name)} is not an integer identity`, at);
};

const writeLabels = (labels: readonly Label[]): string => {
  let written = "";
  for (const { name, double } of labels) written += (double === true ? "::" : ":") + bareOrQuoted("`", name);
  return written;
};

const writeSymbol = (name: string, at?: Position): string =>
  isSymbol(name) ? name : failUnwritable(`${JSON.stringify(name.slice(0, 40))} is not a symbol`, at);

const enclosed = (open: string, list: Doc, comments: readonly Doc[], close: string): Doc =>
  list.width === 0 && comments.length === 0
    ? textDoc(open + close)
    : list.width === 0
      ? groupDoc([textDoc(open), nestDoc(comments), softLine, textDoc(close)])
      : groupDoc([textDoc(open), nestDoc([softLine, list, ...comments]), softLine, textDoc(close)]);

const writeEntry = ({ key, value }: MapEntry, style: WriteStyle): Doc =>
  concat([textDoc(`${writeKey(key)}: `), writeScalar(value, style)]);

const writeScalar = (value: Scalar, style: WriteStyle): Doc => {
  switch (value.kind) {
    case "string":
    case "tagged":
      return writeString(value, style);
    case "symbol":
      if (value.name === "true" || value.name === "false") {
        return failUnwritable(`the symbol ${value.name} would be read as a boolean`, value.at);
      }
      return textDoc(writeSymbol(value.name, value.at));
    case "boolean":
      return textDoc(String(value.value));
    case "range":
      return textDoc(writeRange(value.from, value.to));
    default:
      return textDoc(writeNumber(value));
  }
};

const writeString = (value: StringValue | TaggedValue, { breakAtFence }: WriteStyle): Doc => {
  const tag = value.kind === "tagged" ? writeSymbol(value.tag, value.at) : "";
  const fenced = value.style === "fenced" || (value.style === undefined && value.value.includes("\n"));
  if (fenced && canBeFenced(value.value)) return rawDoc(`\`\`\`${tag}\n${value.value}\`\`\``, breakAtFence);
  return textDoc(tag === "" ? quotedWith('"', value.value) : tag + quotedWith("`", value.value));
};

const numberPatterns = {
  integer: /^-?(?:0|[1-9][0-9]*)$/,
  decimal: /^-?(?:0|[1-9][0-9]*)\.[0-9]+$/,
  hexadecimal: /^0x[0-9A-Fa-f]+$/,
  octal: /^0[0-7]+$/,
  measurement: /^-?(?:0|[1-9][0-9]*)[A-Za-z]+$/,
};

const writeNumber = (value: NumberValue): string => {
  const written = value.kind === "measurement" ? value.amount + value.unit : value.text;
  const fits = numberPatterns[value.kind].test(written);
  const hexadecimal = value.kind === "measurement" && numberPatterns.hexadecimal.test(written);
  if (fits && !hexadecimal) return written;
  return failUnwritable(`${JSON.stringify(written.slice(0, 40))} is not a ${value.kind}`, value.at);
};

const writeRange = (from: NumberValue | undefined, to: NumberValue | undefined): string => {
  if (from !== undefined && to !== undefined) return `${writeNumber(from)}..${writeNumber(to)}`;
  if (from !== undefined) return `${writeNumber(from)}...`;
  return to === undefined ? failUnwritable("a range needs at least one end") : `...${writeNumber(to)}`;
};

/** Without the comments around it. */
const writeItem = (item: Item, style: WriteStyle): Doc => {
  if (item.kind === "annotated") return writeAnnotated(item, style);
  return item.kind === "path" ? writePath(item, style) : writeBracket(item, style, 1);
};

const writeProperties = (
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
