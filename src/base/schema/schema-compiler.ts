import { ToolDefinitionError } from "../words/errors.ts";
import type { Issue, JsonSchema } from "../words/json.ts";
import type { Validation, Validator } from "../words/validator.ts";
import { toValidation } from "./author-verdict.ts";
import { toIssue } from "./issues.ts";
import type { ReadSchema } from "./read-schema.ts";
import { withAuthors } from "./to-validator.ts";

/**
 * Another library in the place of the built-in judge. What it lets through, the tool gets: it fills the
 * schema's defaults itself, and its word on a value is final.
 */
export interface SchemaCompiler {
  /** For provenance, with the version. */
  readonly name?: string;
  readonly version?: string;
  /** Is given a copy of the schema that it may change. */
  readonly compile: (schema: JsonSchema) => ValueCheck;
  /** `definition`, unless given, compiles at once and refuses the tool; `hydration` compiles at the first call. */
  readonly when?: Validator["compiledAt"];
}

/** Says yes or no at once, or a whole verdict. After a no, `errors` may say why in the way of ajv. */
export interface ValueCheck {
  (value: unknown): boolean | Validation;
  readonly errors?:
    | readonly { readonly instancePath?: string; readonly message?: string | undefined }[]
    | null;
}

/** Input is held against the schema by the given library, and then against the author's own, if there is one. */
export const compileWith = (compiler: SchemaCompiler, read: ReadSchema): Validator => {
  const first =
    compiler.when === "hydration" ? lazily(compiler, read.schema) : eagerly(compiler, read.schema);
  const compiledAt = compiler.when ?? "definition";
  if (read.standard === undefined) return Object.assign(first, { engine: engineOf(compiler), compiledAt });
  const { standard } = read;
  const both = (value: unknown): Validation => {
    const verdict = first(value);
    return verdict.ok ? withAuthors(standard, verdict.value) : verdict;
  };
  return Object.assign(both, { engine: `${engineOf(compiler)} + ${standard.vendor}`, compiledAt });
};

const engineOf = ({ name = "custom", version }: SchemaCompiler): string =>
  version === undefined ? name : `${name} ${version}`;

const eagerly = (compiler: SchemaCompiler, schema: JsonSchema): ((value: unknown) => Validation) => {
  const made = make(compiler, schema);
  if (typeof made === "function") return (value) => ask(made, value);
  throw new ToolDefinitionError(
    "refused_schema",
    `the validator "${engineOf(compiler)}" cannot compile the input schema: ${made.why}`,
    { cause: made.cause },
  );
};

/** Compiles once, even if that fails: then no value can be judged, and none passes. */
const lazily = (compiler: SchemaCompiler, schema: JsonSchema): ((value: unknown) => Validation) => {
  let made: ValueCheck | BrokenSchema | undefined;
  return (value) => {
    made ??= make(compiler, schema);
    if (typeof made === "function") return ask(made, value);
    return unjudged(`the validator "${engineOf(compiler)}" cannot compile the input schema: ${made.why}`);
  };
};

interface BrokenSchema {
  readonly why: string;
  readonly cause?: unknown;
}

const make = (compiler: SchemaCompiler, schema: JsonSchema): ValueCheck | BrokenSchema => {
  try {
    const made: unknown = compiler.compile(structuredClone(schema));
    if (typeof made === "function") return made as ValueCheck;
    return { why: `compile answered with ${shapeOf(made)}, not with a function` };
  } catch (cause) {
    return { why: textOf(cause), cause };
  }
};

/** Only `true` and `{ ok: true }` pass; whatever else a foreign library answers does not. */
const ask = (check: ValueCheck, value: unknown): Validation => {
  try {
    const answer: unknown = check(value);
    if (answer === true) return { ok: true, value };
    if (answer === false) return refused(check.errors);
    const verdict = (answer ?? {}) as {
      readonly ok?: unknown;
      readonly value?: unknown;
      readonly issues?: unknown;
    };
    if (verdict.ok === true) return toValidation(value, "value" in verdict ? verdict.value : value);
    if (verdict.ok === false) return refused(verdict.issues);
    return unjudged(`the validator answered with ${shapeOf(answer)}, which is no verdict`);
  } catch (thrown) {
    return unjudged(`the validator threw: ${textOf(thrown)}`);
  }
};

/** Reasons are issues, or what ajv leaves behind; a no without a reason is still a no. */
const refused = (reasons: unknown): Validation => {
  const given: readonly Partial<Issue & { readonly instancePath: string }>[] = Array.isArray(reasons)
    ? reasons
    : [];
  const issues = given.slice(0, 20).map((reason): Issue => {
    const { pointer, instancePath = "", message = "does not fit the schema" } = reason;
    return pointer === undefined ? issueAt(instancePath, message) : { ...reason, pointer, message };
  });
  return { ok: false, issues: issues.length > 0 ? issues : [issueAt("", "does not fit the schema")] };
};

const issueAt = (pointer: string, what: string): Issue => toIssue({ keyword: "schema", pointer, what });

const unjudged = (why: string): Validation => ({
  ok: false,
  issues: [issueAt("", `cannot be judged: ${why}`)],
});

/** Validation is synchronous by design; nobody waits for a promise, and its failure must not end the process. */
const shapeOf = (value: unknown): string => {
  if (!(value instanceof Promise)) return value === null ? "null" : typeof value;
  value.catch(() => {});
  return "a promise";
};

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
