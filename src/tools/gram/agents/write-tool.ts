import { canonicalJson } from "../../json/canonical-json.ts";
import type { Json, JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import { isInteger } from "../characters.ts";
import type { Bracket, Element, Property, Subject, Value } from "../document.ts";
import { fitInput, fitShape, writePath } from "../schema-to-signature.ts";
import { Misfit } from "../signature/fit-schema.ts";
import { fieldElement, signatureToPath } from "../signature/to-path.ts";
import { jsonFence, toValue } from "../signature/value-json.ts";
import { readSignature } from "../signature.ts";
import { signatureToOutputSchema, signatureToSchema } from "../signature-to-schema.ts";
import type { Shape, Signature } from "../signature-types.ts";
import { toolDefaults, toolFields } from "./tool-spec.ts";

/** A tool under the identity it has in the file, which is its name unless that was taken. */
export const toolBracket = (spec: ToolSpec, identity: string): Bracket => {
  const { properties, elements } = saysWhat(spec);
  const named = identity === spec.name ? [] : [property("name", spec.name)];
  const head = [...named, property("description", spec.description)];
  return {
    kind: "bracket",
    subject: subjectOf(identity, "Tool", [...head, ...properties, ...rest(spec)]),
    elements,
  };
};

export const subjectOf = (name: string, label: string, properties: readonly Property[]): Subject => ({
  identity: { kind: isInteger(name) ? "integer" : "name", name },
  labels: [{ name: label }],
  properties,
});

export const property = (key: string, value: Json): Property => ({ key, value: toValue(value) });

interface Says {
  readonly properties: readonly Property[];
  readonly elements: readonly Element[];
}

/** Signature, input and output: as a path where that says all three, else each in the shortest way that says it. */
const saysWhat = (spec: ToolSpec): Says => {
  const { signature, input, output, noSchemaMode } = spec;
  const path = signature === undefined ? undefined : pathOf(signature, spec);
  if (path !== undefined) return { properties: [], elements: path };
  const derived = signature === undefined ? undefined : readSignature(signature);
  const known = derived?.ok === true ? derived.signature : undefined;
  const given = known === undefined ? undefined : signatureToSchema(known);
  const result = known === undefined ? undefined : signatureToOutputSchema(known);
  const isFree = noSchemaMode !== undefined && known === undefined && isSame(input, { type: "object" });
  const parts = [
    isFree || isSame(input, given) ? none : sayInput(input),
    output === undefined && result !== undefined
      ? { properties: [property("outputSchema", true)], elements: [] }
      : none,
    output === undefined || isSame(output, result) ? none : sayOutput(output),
  ];
  return {
    properties: [
      ...(signature === undefined ? [] : [property("typeSignature", signature)]),
      ...parts.flatMap((part) => part.properties),
    ],
    elements: parts.flatMap((part) => part.elements),
  };
};

const none: Says = { properties: [], elements: [] };

const pathOf = (text: string, { input, output }: ToolSpec): readonly Element[] | undefined => {
  if (output === undefined) return undefined;
  return fitting(() => {
    const signature: Signature = {
      form: "path",
      parameters: fitInput(input),
      result: fitShape(output),
      effect: false,
    };
    if (writePath(signature) !== text) return undefined;
    const { path, shapes } = signatureToPath(signature);
    return [path, ...shapes];
  });
};

const sayInput = (schema: JsonSchema): Says => {
  const parameters = fitting(() => fitInput(schema));
  return parameters === undefined
    ? { properties: [fenced("inputSchema", schema)], elements: [] }
    : { properties: [], elements: [fieldElement({ name: "input", type: { record: parameters } })] };
};

const sayOutput = (schema: JsonSchema): Says => {
  const shape: Shape | undefined = fitting(() => fitShape(schema));
  return shape === undefined
    ? { properties: [fenced("outputSchema", schema)], elements: [] }
    : { properties: [], elements: [fieldElement({ ...shape, name: "output" })] };
};

export const fenced = (key: string, schema: JsonSchema): { readonly key: string; readonly value: Value } => ({
  key,
  value: jsonFence(schema as Json),
});

const fitting = <A>(attempt: () => A): A | undefined => {
  try {
    return attempt();
  } catch (misfit) {
    if (misfit instanceof Misfit) return undefined;
    throw misfit;
  }
};

const isSame = (one: JsonSchema, other: JsonSchema | undefined): boolean =>
  other !== undefined && canonicalJson(one) === canonicalJson(other);

const apart: ReadonlySet<string> = new Set(["name", "description", "signature", "input", "output"]);

const rest = (spec: ToolSpec): readonly Property[] =>
  toolFields.flatMap((key) => {
    const value = spec[key] as Json | undefined;
    if (apart.has(key) || value === undefined) return [];
    const usual = (toolDefaults as Partial<Record<string, Json>>)[key];
    return usual !== undefined && canonicalJson(usual) === canonicalJson(value) ? [] : [property(key, value)];
  });
