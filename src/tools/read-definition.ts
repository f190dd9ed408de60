import * as Duration from "effect/Duration";
import { type ReadSchema, readSchema } from "../schema/read-schema.ts";
import { compileWith } from "../schema/schema-compiler.ts";
import { toValidator } from "../schema/to-validator.ts";
import { ToolDefinitionError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { Validator } from "../words/validator.ts";
import type { ToolDescription } from "./definition.ts";
import { checkFields } from "./definition-fields.ts";
import { checkDescription } from "./description.ts";
import { checkName } from "./name.ts";
import { readMeta } from "./tool-meta.ts";

type Description = ToolDescription<string, unknown, unknown>;

/** The serializable half of a tool, and what holds values against it. */
export interface ReadDefinition {
  readonly spec: ToolSpec;
  readonly input: Validator;
  readonly output: Validator | undefined;
}

export const readDefinition = (definition: Description): ReadDefinition => {
  const { name } = definition;
  checkName(name);
  checkDescription(definition.description, name);
  checkFields(definition, name);
  const input = readInput(definition);
  const output =
    definition.output === undefined ? undefined : about(name, () => readSchema(definition.output, "output"));
  return {
    spec: toSpec(definition, input, output),
    input: validatorOf(definition, input),
    output: output && toValidator(output),
  };
};

const anyObject = Object.freeze({ type: "object" });

const readInput = (definition: Description): ReadSchema | undefined => {
  const { name, input, parameters, allowNoSchema, noSchemaMode } = definition;
  if (input !== undefined && parameters !== undefined) {
    throw invalid(name, "has both `input` and `parameters`, which are the same thing; leave one out");
  }
  if (noSchemaMode !== undefined && allowNoSchema !== true) {
    throw invalid(name, "has a `noSchemaMode` without `allowNoSchema: true`");
  }
  const source = input ?? parameters;
  if (source !== undefined) return about(name, () => readSchema(source, "input"));
  if (allowNoSchema === true) return undefined;
  throw invalid(
    name,
    "has no input schema, so its calls could not be validated. Give it `input` (`[]` for a tool without parameters), or say `allowNoSchema: true`",
  );
};

const validatorOf = ({ name, validator }: Description, input: ReadSchema | undefined): Validator => {
  if (validator === undefined) return toValidator(input ?? { side: "input", schema: anyObject });
  if (input === undefined) throw invalid(name, "has a `validator`, and no input schema for it to compile");
  return about(name, () => compileWith(validator, input));
};

/** Who reads or compiles a schema does not know whose schema it is. */
const about = <A>(name: string, read: () => A): A => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    const { code, message, ...details } = error.failure;
    throw new ToolDefinitionError(code, `The tool "${name}": ${message}`, { ...details, tool: name });
  }
};

const toSpec = (
  definition: Description,
  input: ReadSchema | undefined,
  output: ReadSchema | undefined,
): ToolSpec => {
  const { name, description, signature, returnType, timeout, maxCost, noSchemaMode } = definition;
  return Object.freeze({
    name,
    description,
    ...(signature === undefined ? {} : { signature }),
    input: input?.schema ?? anyObject,
    ...(output === undefined ? {} : { output: output.schema }),
    ...(returnType === undefined ? {} : { returnType }),
    category: definition.category ?? "custom",
    risk: definition.risk ?? "low",
    ...(timeout === undefined ? {} : { timeoutMs: toTimeout(name, timeout) }),
    requiresApproval: definition.requiresApproval ?? false,
    ...(maxCost === undefined ? {} : { maxCost }),
    source: definition.source ?? "function",
    tags: Object.freeze([...(definition.tags ?? [])]),
    annotations: Object.freeze({ ...definition.annotations }),
    ...(definition.meta === undefined ? {} : { meta: readMeta(definition.meta)! }),
    validate: definition.validate ?? "strict",
    strict: definition.strict ?? false,
    ...(input === undefined ? { noSchemaMode: noSchemaMode ?? "human-approval" } : {}),
  });
};

const toTimeout = (name: string, timeout: Duration.Input): number => {
  const milliseconds = readDuration(timeout);
  if (milliseconds !== undefined && milliseconds > 0 && Number.isFinite(milliseconds)) return milliseconds;
  throw invalid(
    name,
    'has a `timeout` that is no length of time; write "5 seconds" or a number of milliseconds',
  );
};

const readDuration = (timeout: Duration.Input): number | undefined => {
  try {
    return Duration.toMillis(timeout);
  } catch {
    return undefined;
  }
};

const invalid = (name: string, why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}.`, { tool: name });
