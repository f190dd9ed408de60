import type { JsonSchema } from "../../../types/json.ts";
import { loadEffectSchema } from "../on-demand.cjs";
import { isRecord } from "../plain/plain-schema.ts";
import { simplifySchema } from "../simplify-schema.ts";
import type { StandardResult, StandardSchema, StandardValidate } from "../standard-schema.ts";

const typeId = "~effect/Schema/Schema";

/** Structural, because loading `effect/Schema` is expensive. */
export interface EffectSchema<Type = unknown, Encoded = unknown> {
  readonly Type: Type;
  readonly Encoded: Encoded;
  readonly ast: unknown;
}

export const isEffectSchema = (value: unknown): value is EffectSchema =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  (value as { readonly [typeId]?: unknown })[typeId] === typeId;

interface EffectAst {
  readonly _tag: string;
  readonly context?: { readonly isOptional: boolean };
  readonly propertySignatures?: readonly unknown[];
  readonly indexSignatures?: readonly unknown[];
  readonly types?: readonly EffectAst[];
  readonly recur?: (visit: (node: EffectAst) => EffectAst) => EffectAst;
}

interface LiveSchema {
  readonly ast: EffectAst;
  readonly check: (check: unknown) => LiveSchema;
}

interface SchemaModule {
  readonly make: (ast: EffectAst) => LiveSchema;
  readonly isFinite: () => unknown;
  readonly toCodecJson: (schema: LiveSchema) => LiveSchema;
  readonly toJsonSchemaDocument: (schema: LiveSchema) => {
    readonly schema: JsonSchema;
    readonly definitions: JsonSchema;
  };
  readonly toStandardSchemaV1: (schema: LiveSchema) => StandardSchema;
  readonly encodeUnknownSync: (schema: LiveSchema) => (value: unknown) => unknown;
}

interface AstModule {
  readonly toEncoded: (ast: EffectAst) => EffectAst;
  readonly toType: (ast: EffectAst) => EffectAst;
}

interface EffectModules {
  readonly schema: SchemaModule;
  readonly ast: AstModule;
}

/**
 * Omits NaN and infinities of `Schema.Number`, and `undefined` of `Schema.optional`, which JSON cannot hold.
 */
export const readEffectSchema = (
  source: EffectSchema,
  side: "input" | "output",
): { readonly schema: JsonSchema; readonly standard: StandardValidate } => {
  const { schema: Schema, ast: Ast } = loadEffectSchema() as EffectModules;
  const live = source as unknown as LiveSchema;
  const shown = withoutNonJson(Schema, side === "input" ? Ast.toEncoded(live.ast) : Ast.toType(live.ast));
  const { schema, definitions } = Schema.toJsonSchemaDocument(Schema.make(shown));
  if (side === "input" && isEmptyStruct(shown)) {
    return {
      schema: { type: "object", properties: {} },
      standard: { vendor: "effect", validate: decoder(Schema, live) },
    };
  }
  const document = Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
  const validate = side === "input" ? decoder(Schema, live) : encoder(Schema, live, shown);
  return { schema: simplifySchema(document), standard: { vendor: "effect", validate } };
};

/** Effect's empty struct accepts everything except null. */
const isEmptyStruct = ({ _tag, propertySignatures, indexSignatures }: EffectAst): boolean =>
  _tag === "Objects" && propertySignatures?.length === 0 && indexSignatures?.length === 0;

const withoutNonJson = (Schema: SchemaModule, root: EffectAst): EffectAst => {
  const seen = new Map<EffectAst, EffectAst>();
  const visit = (node: EffectAst): EffectAst => {
    const known = seen.get(node);
    if (known !== undefined) return known;
    const result = rewrite(node);
    seen.set(node, result);
    return result;
  };
  const rewrite = (node: EffectAst): EffectAst => {
    if (node._tag === "Number") {
      const live = Schema.make(node);
      return Schema.toCodecJson(live).ast === node ? node : live.check(Schema.isFinite()).ast;
    }
    if (node._tag === "Declaration" || node.recur === undefined) return node;
    return dropUndefined(node).recur?.(visit) ?? node;
  };
  return visit(root);
};

const dropUndefined = (node: EffectAst): EffectAst => {
  if (node._tag !== "Union" || node.context?.isOptional !== true) return node;
  const types = node.types?.filter((each) => each._tag !== "Undefined");
  if (types === undefined || types.length === node.types?.length) return node;
  return Object.assign(Object.create(Object.getPrototypeOf(node)), node, { types });
};

/** JSON has no dates: they arrive as text and are decoded to a `Date`. */
const decoder = (Schema: SchemaModule, live: LiveSchema): StandardValidate["validate"] =>
  Schema.toStandardSchemaV1(Schema.toCodecJson(live))["~standard"].validate;

/** Decodes a result, and encodes it if the decoded value is not JSON. */
const encoder = (Schema: SchemaModule, live: LiveSchema, shown: EffectAst): StandardValidate["validate"] => {
  const decode = Schema.toStandardSchemaV1(live)["~standard"].validate;
  const codec = Schema.toCodecJson(Schema.make(shown));
  if (codec.ast === shown) return decode;
  const encode = Schema.encodeUnknownSync(codec);
  return (value) => {
    const decoded = decode(value);
    if (decoded instanceof Promise || decoded.issues !== undefined) return decoded;
    return attempt(() => encode(withoutUndefined(decoded.value)));
  };
};

const attempt = (encode: () => unknown): StandardResult => {
  try {
    return { value: encode() };
  } catch (error) {
    return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
  }
};

const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutUndefined(each)]));
};
