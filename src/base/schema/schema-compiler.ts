import { ToolDefinitionError } from "../../types/errors.ts";
import type { Issue, JsonSchema } from "../../types/json.ts";
import type { Validation, Validator } from "../../types/tool.ts";
import { toIssue } from "./issues.ts";
import type { ParsedSchema } from "./read-schema.ts";
import { toValidation, validateWithAuthor } from "./to-validator.ts";

/**
 * Replaces the built-in validator. The tool receives the value as the library leaves it, so the library must
 * fill defaults.
 */
export interface SchemaCompiler {
  /** Name for provenance. */
  readonly name?: string;
  readonly version?: string;
  /** Receives a copy of the schema, which it may change. */
  readonly compile: (schema: JsonSchema) => ValueCheck;
  /**
   * `definition` compiles at once and refuses an invalid tool; `hydration` compiles at the first call. Unless
   * set: `definition`.
   */
  readonly when?: Validator["compiledAt"];
}

/** Returns a boolean or a full result. After `false`, `errors` may hold reasons in ajv's format. */
export interface ValueCheck {
  (value: unknown): boolean | Validation;
  readonly errors?:
    | readonly { readonly instancePath?: string; readonly message?: string | undefined }[]
    | null;
}

export const compileWith = (compiler: SchemaCompiler, read: ParsedSchema): Validator => {
  const first =
    compiler.when === "hydration"
      ? compileLazily(compiler, read.schema)
      : compileEagerly(compiler, read.schema);
  const compiledAt = compiler.when ?? "definition";
  if (read.standard === undefined) return Object.assign(first, { engine: engineOf(compiler), compiledAt });
  const { standard } = read;
  const both = (value: unknown): Validation => {
    const verdict = first(value);
    return verdict.ok ? validateWithAuthor(standard, verdict.value) : verdict;
  };
  return Object.assign(both, { engine: `${engineOf(compiler)} + ${standard.vendor}`, compiledAt });
};

const engineOf = ({ name = "custom", version }: SchemaCompiler): string =>
  version === undefined ? name : `${name} ${version}`;

const compileEagerly = (compiler: SchemaCompiler, schema: JsonSchema): ((value: unknown) => Validation) => {
  const made = compileOrExplain(compiler, schema);
  if (typeof made === "function") return (value) => runCheck(made, value);
  throw new ToolDefinitionError(
    "refused_schema",
    `the validator "${engineOf(compiler)}" cannot compile the input schema: ${made.why}`,
    { cause: made.cause },
  );
};

/** If compilation fails, every value is refused. */
const compileLazily = (compiler: SchemaCompiler, schema: JsonSchema): ((value: unknown) => Validation) => {
  let made: ValueCheck | BrokenSchema | undefined;
  return (value) => {
    made ??= compileOrExplain(compiler, schema);
    if (typeof made === "function") return runCheck(made, value);
    return undecidedValidation(
      `the validator "${engineOf(compiler)}" cannot compile the input schema: ${made.why}`,
    );
  };
};

interface BrokenSchema {
  readonly why: string;
  readonly cause?: unknown;
}

const compileOrExplain = (compiler: SchemaCompiler, schema: JsonSchema): ValueCheck | BrokenSchema => {
  try {
    const made: unknown = compiler.compile(structuredClone(schema));
    if (typeof made === "function") return made as ValueCheck;
    return { why: `compile returned ${describeShape(made)}, not a function` };
  } catch (cause) {
    return { why: textOf(cause), cause };
  }
};

/** Only `true` and `{ ok: true }` accept the value. */
const runCheck = (check: ValueCheck, value: unknown): Validation => {
  try {
    const answer: unknown = check(value);
    if (answer === true) return { ok: true, value };
    if (answer === false) return refusedValidation(check.errors);
    const verdict = (answer ?? {}) as {
      readonly ok?: unknown;
      readonly value?: unknown;
      readonly issues?: unknown;
    };
    if (verdict.ok === true) return toValidation(value, "value" in verdict ? verdict.value : value);
    if (verdict.ok === false) return refusedValidation(verdict.issues);
    return undecidedValidation(
      `the validator returned ${describeShape(answer)}, which is not a validation result`,
    );
  } catch (thrown) {
    return undecidedValidation(`the validator threw: ${textOf(thrown)}`);
  }
};

const refusedValidation = (reasons: unknown): Validation => {
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

const undecidedValidation = (why: string): Validation => ({
  ok: false,
  issues: [issueAt("", `cannot be checked: ${why}`)],
});

/** Validation is synchronous. The rejection of a returned promise must not end the process. */
const describeShape = (value: unknown): string => {
  if (!(value instanceof Promise)) return value === null ? "null" : typeof value;
  value.catch(() => {});
  return "a promise";
};

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
