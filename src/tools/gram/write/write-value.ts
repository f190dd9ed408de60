import type { MapEntry, NumberValue, Scalar, StringValue, TaggedValue, Value } from "../document.ts";
import { canBeFenced } from "../fence.ts";
import { inside, separated } from "./comments.ts";
import { all, type Doc, group, nest, raw, softLine, spaceLine, text } from "./doc.ts";
import { quotedWith, unwritable, writeKey, writeSymbol } from "./words.ts";

/** How values are laid out: whether a fenced text makes what holds it break. */
export interface Style {
  readonly breakAtFence: boolean;
}

export const writeValue = (value: Value, style: Style): Doc => {
  if (value.kind === "array") {
    if (value.items.length === 0) unwritable("gram has no empty array", value.at);
    const items = separated(value.items, spaceLine, (each) => writeScalar(each, style));
    return enclosed("[", items, inside(value.comments), "]");
  }
  if (value.kind === "map") {
    const entries = separated(value.entries, spaceLine, (each) => writeEntry(each, style));
    return enclosed("{", entries, inside(value.comments), "}");
  }
  return writeScalar(value, style);
};

/** Brackets around a list: on one line, or each part on its own, indented. */
export const enclosed = (open: string, list: Doc, comments: readonly Doc[], close: string): Doc =>
  list.width === 0 && comments.length === 0
    ? text(open + close)
    : list.width === 0
      ? group([text(open), nest(comments), softLine, text(close)])
      : group([text(open), nest([softLine, list, ...comments]), softLine, text(close)]);

const writeEntry = ({ key, value }: MapEntry, style: Style): Doc =>
  all([text(`${writeKey(key)}: `), writeScalar(value, style)]);

const writeScalar = (value: Scalar, style: Style): Doc => {
  switch (value.kind) {
    case "string":
    case "tagged":
      return writeString(value, style);
    case "symbol":
      if (value.name === "true" || value.name === "false") {
        return unwritable(`the symbol ${value.name} would be read as a boolean`, value.at);
      }
      return text(writeSymbol(value.name, value.at));
    case "boolean":
      return text(String(value.value));
    case "range":
      return text(writeRange(value.from, value.to));
    default:
      return text(writeNumber(value));
  }
};

const writeString = (value: StringValue | TaggedValue, { breakAtFence }: Style): Doc => {
  const tag = value.kind === "tagged" ? writeSymbol(value.tag, value.at) : "";
  const fenced = value.style === "fenced" || (value.style === undefined && value.value.includes("\n"));
  if (fenced && canBeFenced(value.value)) return raw(`\`\`\`${tag}\n${value.value}\`\`\``, breakAtFence);
  return text(tag === "" ? quotedWith('"', value.value) : tag + quotedWith("`", value.value));
};

const numbers = {
  integer: /^-?(?:0|[1-9][0-9]*)$/,
  decimal: /^-?(?:0|[1-9][0-9]*)\.[0-9]+$/,
  hexadecimal: /^0x[0-9A-Fa-f]+$/,
  octal: /^0[0-7]+$/,
  measurement: /^-?(?:0|[1-9][0-9]*)[A-Za-z]+$/,
};

const writeNumber = (value: NumberValue): string => {
  const written = value.kind === "measurement" ? value.amount + value.unit : value.text;
  const fits = numbers[value.kind].test(written);
  const hexadecimal = value.kind === "measurement" && numbers.hexadecimal.test(written);
  if (fits && !hexadecimal) return written;
  return unwritable(`${JSON.stringify(written.slice(0, 40))} is no ${value.kind}`, value.at);
};

const writeRange = (from: NumberValue | undefined, to: NumberValue | undefined): string => {
  if (from !== undefined && to !== undefined) return `${writeNumber(from)}..${writeNumber(to)}`;
  if (from !== undefined) return `${writeNumber(from)}...`;
  return to === undefined ? unwritable("a range has an end") : `...${writeNumber(to)}`;
};
