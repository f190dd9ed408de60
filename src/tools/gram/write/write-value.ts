import { canBeFenced } from "../can-be-fenced.ts";
import type { MapEntry, NumberValue, Scalar, StringValue, TaggedValue, Value } from "../document.ts";
import { commentsInside, separatedList } from "./comments.ts";
import { concat, type Doc, groupDoc, nestDoc, rawDoc, softLine, spaceLine, textDoc } from "./doc.ts";
import { failUnwritable, quotedWith, writeKey, writeSymbol } from "./write-names.ts";

export interface WriteStyle {
  readonly breakAtFence: boolean;
}

export const writeValue = (value: Value, style: WriteStyle): Doc => {
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

export const enclosed = (open: string, list: Doc, comments: readonly Doc[], close: string): Doc =>
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
