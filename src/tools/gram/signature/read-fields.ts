import type { Bracket, Element, PathNode, Position, Subject } from "../document.ts";
import type { DiagnosticCollector } from "../format-diagnostic.ts";
import {
  constraintsOf,
  type Shape,
  type SignatureParameter,
  type SignatureType,
  type SimpleType,
  simpleTypeByName,
  unknownTypeHint,
} from "../signature-types.ts";
import {
  checkValues,
  type FieldRecord,
  type ParsedFieldRecord,
  readFieldRecord,
} from "./read-field-record.ts";

export type FieldSource = (PathNode | Bracket) & { readonly subject: Subject };

export const readParameter = (
  source: FieldSource,
  problems: DiagnosticCollector,
  shapeBracket?: Bracket,
): SignatureParameter => {
  const at = positionOf(source);
  const name = source.subject.identity?.name ?? "";
  if (name === "") {
    problems.add(
      "unnamed-parameter",
      at,
      "This parameter has no name",
      "Write (name::String): a caller passes arguments by name.",
    );
  } else if (name === "__proto__") {
    problems.add("refused-name", at, 'A parameter must not be called "__proto__"', "Choose another name.");
  }
  const { shape, record, places } = readField(source, problems, shapeBracket);
  const optional = record.default !== undefined || record.optional === true;
  if (record.default !== undefined && record.optional === false) {
    problems.add(
      "wrong-value",
      places.get("optional"),
      "A parameter with a default is optional",
      "Remove optional: false.",
    );
  }
  const { default: given } = record;
  return { name, ...shape, optional, ...(given === undefined ? {} : { default: given }) };
};

/** A list item or a result. */
export const readUnnamedShape = (
  source: FieldSource,
  what: string,
  problems: DiagnosticCollector,
  shapeBracket?: Bracket,
): Shape => {
  const { shape, record, places } = readField(source, problems, shapeBracket);
  if (record.default !== undefined) {
    problems.add("wrong-default", places.get("default"), `${what} cannot have a default`, "Remove it.");
  }
  return record.optional === true ? { ...shape, nullable: true } : shape;
};

interface ParsedField extends ParsedFieldRecord {
  readonly shape: Shape;
}

const readField = (
  source: FieldSource,
  problems: DiagnosticCollector,
  adjacentBracket?: Bracket,
): ParsedField => {
  const at = positionOf(source);
  const simple = readLabel(source.subject, at, problems);
  const shapeBracket = isBracket(source) ? source : checkSameType(simple, adjacentBracket, problems);
  const more = shapeBracket === undefined || shapeBracket === source ? [] : shapeBracket.subject.properties;
  const read = readFieldRecord([...source.subject.properties, ...more], problems);
  const type = readStructure(simple, shapeBracket, read, problems);
  const shape = toShape(type, read, problems);
  checkValues(shape, read, problems);
  return { ...read, shape };
};

const readLabel = (
  { labels }: Subject,
  at: Position | undefined,
  problems: DiagnosticCollector,
): SimpleType => {
  const [label, second] = labels;
  if (label === undefined) {
    problems.add("missing-type", at, "The parameter has no type", "Write it as a label: (name::String).");
    return "string";
  }
  if (second !== undefined)
    problems.add("several-types", second.at ?? at, "The parameter has more than one type", "Keep one label.");
  const simple = simpleTypeByName(label.name);
  if (simple === undefined) {
    problems.add(
      "unknown-type",
      label.at ?? at,
      `The type "${label.name}" is unknown`,
      unknownTypeHint(label.name),
    );
  }
  return simple ?? "string";
};

const checkSameType = (
  simple: SimpleType,
  adjacentBracket: Bracket | undefined,
  problems: DiagnosticCollector,
): Bracket | undefined => {
  if (
    adjacentBracket === undefined ||
    readLabel(adjacentBracket.subject, adjacentBracket.at, problems) === simple
  )
    return adjacentBracket;
  problems.add(
    "wrong-shape",
    adjacentBracket.at,
    "This shape has another type than its parameter",
    "Use one label for both.",
  );
  return undefined;
};

/** A bracket is a closed shape; a node accepts anything of its type. */
const readStructure = (
  simple: SimpleType,
  shapeBracket: Bracket | undefined,
  { record, places }: ParsedFieldRecord,
  problems: DiagnosticCollector,
): SignatureType => {
  const elements = shapeBracket?.elements ?? [];
  if (record.elementType !== undefined) {
    if (simple === "array" && elements.length === 0) return { list: record.elementType };
    problems.add(
      "wrong-value",
      places.get("elementType"),
      "Only an Array without its own shape can have an elementType",
      "Remove it.",
    );
  }
  if (shapeBracket === undefined) return simple;
  if (simple === "object") return { record: readFields(elements, problems) };
  if (elements.length === 0) return simple;
  const sources = elements.map((element) => toSource(element, problems));
  const [item, ...more] = sources.filter((source) => source !== undefined);
  if (simple !== "array") {
    problems.add(
      "wrong-shape",
      shapeBracket.at,
      "Only an Object or an Array can have parts",
      "Change the label, or remove the parts.",
    );
  } else if (more.length > 0) {
    problems.add(
      "wrong-shape",
      positionOf(more[0]!),
      "An Array can have only one kind of item",
      "Write [tags:Array | (::String)].",
    );
  }
  return simple === "array" && item !== undefined
    ? { list: readUnnamedShape(item, "An item", problems) }
    : simple;
};

export const readFields = (
  elements: readonly Element[],
  problems: DiagnosticCollector,
): readonly SignatureParameter[] => {
  const found: SignatureParameter[] = [];
  const seen = new Set<string>();
  for (const element of elements) {
    const source = toSource(element, problems);
    if (source === undefined) continue;
    const field = readParameter(source, problems);
    if (field.name !== "" && seen.has(field.name)) {
      problems.add(
        "duplicate-parameter",
        positionOf(source),
        `"${field.name}" occurs twice`,
        "Rename one of the two.",
      );
    }
    seen.add(field.name);
    found.push(field);
  }
  return found;
};

const toSource = (element: Element, problems: DiagnosticCollector): FieldSource | undefined => {
  if (element.kind === "bracket") return element;
  if (element.kind === "path" && element.nodes.length === 1) return element.nodes[0]!;
  problems.add(
    "wrong-shape",
    element.at,
    "A part of a shape must be one field",
    "Write (city::String), or [geo:Object | (lat::Number)].",
  );
  return undefined;
};

const toShape = (
  type: SignatureType,
  { record, places }: ParsedFieldRecord,
  problems: DiagnosticCollector,
): Shape => {
  const kept: Record<string, unknown> = { type };
  if (record.description !== undefined) kept.description = record.description;
  for (const key of [
    "enum",
    "minimum",
    "maximum",
    "pattern",
    "format",
  ] as const satisfies (keyof FieldRecord)[]) {
    if (record[key] === undefined) continue;
    if (constraintsOf(type).includes(key)) kept[key] = record[key];
    else
      problems.add(
        "wrong-constraint",
        places.get(key),
        `A value of this type cannot have "${key}"`,
        "Remove it, or change the type.",
      );
  }
  return kept as unknown as Shape;
};

const isBracket = (source: FieldSource): source is Bracket => "elements" in source;

export const positionOf = (source: FieldSource): Position | undefined =>
  source.subject.identity?.at ?? source.at;
