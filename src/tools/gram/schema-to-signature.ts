import { canonicalJson } from "../../base/json/canonical-json.ts";
import { copyJson } from "../../base/json/copy-json.ts";
import type { Json, JsonSchema } from "../../types/json.ts";
import { isInteger, isSymbol } from "./characters.ts";
import type { Arrow, Bracket, Element, Path, PathNode, Property, Subject } from "./document.ts";
import { SchemaMisfitError, toShapeExactly } from "./signature/fit-schema.ts";
import { jsonToValue } from "./signature/value-json.ts";
import { shapeToSchema } from "./signature-to-schema.ts";
import {
  classicNames,
  pathNames,
  type Shape,
  type Signature,
  type SignatureForm,
  type SignatureParameter,
  type SignatureType,
} from "./signature-types.ts";
import { writeGram } from "./write-gram.ts";

/** Options of `schemaToSignature`. */
export interface SchemaToSignatureOptions {
  /** By default classic if that form can express the schema, else a path. */
  readonly form?: SignatureForm;
  /** The tool's output schema. Without one the signature returns text. */
  readonly output?: JsonSchema;
}

/** A signature as text, or why the schema has none. */
export type SchemaToSignatureResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** The signature with exactly this schema, or the place and keyword that no signature can express. */
export const schemaToSignature = (
  schema: JsonSchema,
  options: SchemaToSignatureOptions = {},
): SchemaToSignatureResult => {
  const { form, output } = options;
  try {
    const parameters = inputToParameters(schema);
    const result: Shape = output === undefined ? { type: "string" } : schemaToShape(output);
    const signature = { parameters, result, effect: true };
    const isClassic =
      form === "classic" || (form === undefined && fitsClassic({ ...signature, form: "classic" }));
    const text = isClassic
      ? writeClassic({ ...signature, form: "classic" })
      : writePath({ ...signature, form: "path" });
    return { ok: true, text };
  } catch (misfit) {
    if (misfit instanceof SchemaMisfitError) return { ok: false, reason: misfit.message };
    throw misfit;
  }
};

/** A path and the shapes of its objects. */
export const writePath = (signature: Signature): string => {
  const { path, shapes } = signatureToPath(signature);
  return writeGram({ items: [path, ...shapes] }, { pretty: false }).trim();
};

interface SignatureParts {
  readonly path: Path;
  readonly shapes: readonly Bracket[];
}

const signatureArrow: Arrow = { family: "=", direction: "right" };

export const signatureToPath = ({ parameters, result }: Signature): SignatureParts => {
  const name = needsBracket(result.type) ? freeName(parameters) : "";
  const given =
    parameters.length === 0 ? [emptyNode] : parameters.map((each) => ({ subject: subjectOf(each) }));
  const nodes: readonly PathNode[] = [...given, { subject: subjectOf({ ...result, name }) }];
  const shapes = [...parameters, { ...result, name }]
    .filter(({ type }) => needsBracket(type))
    .map(
      ({ name, type }): Bracket => ({
        kind: "bracket",
        subject: subjectOf({ name, type }),
        elements: elementsOf(type),
      }),
    );
  return { path: { kind: "path", nodes, arrows: given.map(() => signatureArrow) }, shapes };
};

const emptyNode: PathNode = { subject: { labels: [], properties: [] } };

const freeName = (parameters: readonly SignatureParameter[]): string => {
  let name = "result";
  while (parameters.some((each) => each.name === name)) name += "_";
  return name;
};

export const fieldElement = (field: NamedShape): Bracket | Path => {
  const subject = subjectOf(field);
  return needsBracket(field.type)
    ? { kind: "bracket", subject, elements: elementsOf(field.type) }
    : { kind: "path", nodes: [{ subject }], arrows: [] };
};

const elementsOf = (type: SignatureType): readonly Element[] => {
  if (typeof type === "string") return [];
  return "list" in type ? [fieldElement({ ...type.list, name: "" })] : type.record.map(fieldElement);
};

type NamedShape = Shape & Partial<SignatureParameter> & { readonly name: string };

const needsBracket = (type: SignatureType): boolean =>
  typeof type === "object" && !("list" in type && isPlainList(type.list));

/** Such a list is written with `elementType`. */
const isPlainList = (items: Shape): boolean =>
  typeof items.type === "string" && Object.keys(items).length === 1;

const subjectOf = ({ name, ...field }: NamedShape): Subject => ({
  ...(name === "" ? {} : { identity: { kind: isInteger(name) ? "integer" : "name", name } }),
  labels: [{ name: labelOf(field.type), double: true }],
  properties: [...propertiesOf(field)],
});

const labelOf = (type: SignatureType): string =>
  pathNames[typeof type === "string" ? type : "list" in type ? "array" : "object"];

function* propertiesOf(field: Omit<NamedShape, "name">): Generator<Property> {
  const { type, nullable, optional, default: given, ...constraints } = field;
  if (constraints.description !== undefined) yield property("description", constraints.description);
  if (given !== undefined) yield property("default", given);
  for (const key of ["enum", "minimum", "maximum", "pattern", "format"] as const) {
    const value = constraints[key];
    if (value !== undefined) yield property(key, value);
  }
  if (typeof type === "object" && "list" in type && isPlainList(type.list)) {
    yield property("elementType", labelOf(type.list.type));
  }
  if (nullable === true || (optional === true && given === undefined)) yield property("optional", true);
}

const property = (key: string, value: Json): Property => ({ key, value: jsonToValue(value) });

/** Throws a SchemaMisfitError. */
export const inputToParameters = (schema: JsonSchema): Signature["parameters"] => {
  const { type, ...rest } = schemaToShape(schema);
  const [keyword] = Object.keys(rest);
  if (keyword !== undefined) {
    throw new SchemaMisfitError(
      [],
      keyword === "nullable" ? "type" : keyword,
      "cannot be expressed in a signature",
    );
  }
  if (typeof type === "object" && "record" in type) return type.record;
  throw new SchemaMisfitError([], "properties", "is missing, but a signature must list all parameters");
};

/** Throws a SchemaMisfitError. */
export const schemaToShape = (schema: JsonSchema): Shape => {
  const copy = copyJson(schema);
  if (!copy.ok) throw new SchemaMisfitError([], "", `is not JSON: ${copy.problem.message}`);
  const shape = toShapeExactly(copy.value);
  if (canonicalJson(shapeToSchema(shape)) === canonicalJson(copy.value)) return shape;
  throw new SchemaMisfitError([], "", "cannot be expressed in a signature");
};

const fitsClassic = (signature: Signature): boolean => {
  try {
    writeClassic(signature);
    return true;
  } catch (misfit) {
    if (misfit instanceof SchemaMisfitError) return false;
    throw misfit;
  }
};

const writeClassic = ({ parameters, result, effect }: Signature): string =>
  `(${writeFields(parameters, [])}) --> ${effect ? "IO " : ""}${writeShape(result, ["result"])}`;

const writeFields = (fields: readonly SignatureParameter[], place: readonly string[]): string =>
  fields.map((field) => writeField(field, [...place, "properties", field.name])).join(", ");

const writeField = (field: SignatureParameter, place: readonly string[]): string => {
  const { name, optional, default: given, ...shape } = field;
  if (!isSymbol(name))
    throw new SchemaMisfitError(place, "", "has a name that the classic form cannot write");
  if (given !== undefined)
    throw new SchemaMisfitError(place, "default", "cannot be expressed in the classic form");
  return `${name}: ${optional ? "Maybe " : ""}${writeShape(shape, place)}`;
};

const writeShape = (shape: Shape, place: readonly string[]): string => {
  const { type, nullable, ...constraints } = shape;
  const [keyword] = Object.keys(constraints);
  if (keyword !== undefined)
    throw new SchemaMisfitError(place, keyword, "cannot be expressed in the classic form");
  const maybe = nullable === true ? "Maybe " : "";
  if (typeof type === "string") return maybe + classicNames[type];
  if ("list" in type) return `${maybe}[${writeShape(type.list, [...place, "items"])}]`;
  return `${maybe}{${writeFields(type.record, place)}}`;
};
