import * as Duration from "effect/Duration";
import { isRecord } from "../base/schema/plain/plain-schema.ts";
import { type ParsedSchema, readSchema } from "../base/schema/read-schema.ts";
import { compileWith } from "../base/schema/schema-compiler.ts";
import { toValidator } from "../base/schema/to-validator.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import type { ArgumentRoles } from "../types/lineage.ts";
import type { ToolSpec, Validator } from "../types/tool.ts";
import { checkDefinitionFields, checkDescription, readMeta } from "./check-definition-fields.ts";
import type { ToolDescription } from "./tool-definition.ts";
import { checkToolName } from "./tool-name.ts";

type Description = Omit<ToolDescription<string, unknown, unknown>, "key" | "reconcile">;

export interface ParsedDefinition {
  readonly spec: ToolSpec;
  readonly input: Validator;
  readonly output: Validator | undefined;
}

export const readDefinition = (definition: Description): ParsedDefinition => {
  const { name } = definition;
  checkToolName(name);
  checkDescription(definition.description, name);
  checkDefinitionFields(definition, name);
  const input = readInput(definition);
  const output =
    definition.output === undefined
      ? undefined
      : withToolName(name, () => readSchema(definition.output, "output"));
  return {
    spec: toSpec(definition, input, output),
    input: validatorOf(definition, input),
    output: output && toValidator(output),
  };
};

const anyObject = Object.freeze({ type: "object" });

const readInput = (definition: Description): ParsedSchema | undefined => {
  const { name, input, parameters, allowNoSchema, noSchemaMode } = definition;
  if (input !== undefined && parameters !== undefined) {
    throw invalid(name, "has both `input` and `parameters`, which mean the same; remove one");
  }
  if (noSchemaMode !== undefined && allowNoSchema !== true) {
    throw invalid(name, "has a `noSchemaMode` without `allowNoSchema: true`");
  }
  const source = input ?? parameters;
  if (source !== undefined) return withToolName(name, () => readSchema(source, "input"));
  if (allowNoSchema === true) return undefined;
  throw invalid(
    name,
    "has no input schema, so its calls cannot be validated. Add `input` (`[]` for a tool without parameters), or set `allowNoSchema: true`",
  );
};

const validatorOf = ({ name, validator }: Description, input: ParsedSchema | undefined): Validator => {
  if (validator === undefined) return toValidator(input ?? { side: "input", schema: anyObject });
  if (input === undefined) throw invalid(name, "has a `validator` but no input schema for it to compile");
  return withToolName(name, () => markCustom(compileWith(validator, input)));
};

const custom = new WeakSet<Validator>();
const bySpec = new WeakMap<ToolSpec, Validator>();

const markCustom = (validator: Validator): Validator => {
  custom.add(validator);
  return validator;
};

export const keepCustom = (spec: ToolSpec, validator: Validator): void => {
  if (custom.has(validator)) bySpec.set(spec, validator);
};

/** Undefined for specs that were read or copied. */
export const customValidatorOf = (spec: ToolSpec): Validator | undefined => bySpec.get(spec);

const withToolName = <A>(name: string, read: () => A): A => {
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
  input: ParsedSchema | undefined,
  output: ParsedSchema | undefined,
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
    ...(definition.roles === undefined ? {} : { roles: readRoles(name, definition.roles, input?.schema) }),
    ...(definition.meta === undefined ? {} : { meta: readMeta(definition.meta)! }),
    validate: definition.validate ?? "strict",
    strict: definition.strict ?? false,
    ...(input === undefined ? { noSchemaMode: noSchemaMode ?? "human-approval" } : {}),
  });
};

const readRoles = (name: string, roles: ArgumentRoles, schema: JsonSchema | undefined): ArgumentRoles => {
  const properties = schema?.properties;
  for (const argument of Object.keys(roles)) {
    if (!isRecord(properties) || Object.hasOwn(properties, argument)) continue;
    const names = Object.keys(properties).join(", ");
    throw invalid(
      name,
      `has a role for \`${argument}\`, which is not an argument. The arguments are: ${names}`,
    );
  }
  return Object.freeze({ ...roles });
};

const toTimeout = (name: string, timeout: Duration.Input): number => {
  const milliseconds = readDuration(timeout);
  if (milliseconds !== undefined && milliseconds > 0 && Number.isFinite(milliseconds)) return milliseconds;
  throw invalid(
    name,
    'has a `timeout` that is not a duration; write "5 seconds" or a number of milliseconds',
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
