import type { JsonSchema } from "../../../types/json.ts";
import { isRecord } from "../plain/plain-schema.ts";
import { throwDefinitionError } from "../throw-definition-error.ts";

export type ParameterType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** Optional unless `required` is true. */
export interface ParameterListEntry {
  readonly name: string;
  readonly type: ParameterType;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export const readParameterList = (list: readonly unknown[]): JsonSchema => {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [index, entry] of list.entries()) {
    const { name, schema, isRequired } = readParameter(entry, index);
    if (Object.hasOwn(properties, name))
      throwDefinitionError(`The parameter "${name}" is listed twice (at /${index}).`);
    properties[name] = schema;
    if (isRequired) required.push(name);
  }
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
};

interface ReadParameter {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

const readParameter = (entry: unknown, index: number): ReadParameter => {
  if (!isRecord(entry))
    return throwDefinitionError(`The parameter at /${index} is not an object. ${entryExample}`);
  const { name, required, ...schema } = entry;
  if (typeof name !== "string" || name === "")
    return throwDefinitionError(`The parameter at /${index} has no name. ${entryExample}`);
  if (name === "__proto__")
    return throwDefinitionError(`The parameter at /${index} must not be called "__proto__".`);
  if (typeof schema.type !== "string")
    return throwDefinitionError(`The parameter "${name}" (at /${index}) has no type. ${entryExample}`);
  // The JSON Schema keyword `required` of an object parameter.
  if (Array.isArray(required)) return { name, schema: { ...schema, required }, isRequired: false };
  if (required !== undefined && typeof required !== "boolean") {
    return throwDefinitionError(`"required" of the parameter "${name}" (at /${index}) is not true or false.`);
  }
  return { name, schema, isRequired: required === true };
};

const entryExample = 'Write an entry as { name: "city", type: "string", description: "…", required: true }.';
