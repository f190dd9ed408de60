import { canonicalJson } from "../../base/json/canonical-json.ts";
import { copyJson } from "../../base/json/copy-json.ts";
import type { JsonSchema } from "../../types/json.ts";
import { isSymbol } from "./characters.ts";
import { SchemaMisfitError, toShapeExactly } from "./signature/fit-schema.ts";
import { shapeToSchema } from "./signature/shape-to-schema.ts";
import { signatureToPath } from "./signature/signature-to-path.ts";
import { classicNames } from "./signature/type-names.ts";
import type { Shape, Signature, SignatureForm, SignatureParameter } from "./signature-types.ts";
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
