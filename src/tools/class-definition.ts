import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/freeze-json.ts";
import type { JsonSchema } from "../types/json.ts";
import type { ToolSpec } from "../types/spec.ts";
import type { ToolDescription } from "./tool-definition.ts";

export interface ClassDefinition
  extends Omit<
    ToolDescription<string, JsonSchema, JsonSchema>,
    "type" | "input" | "timeout" | "validator" | "layers" | "key" | "reconcile"
  > {
  readonly type: "function";
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Global, so that all copies of this package recognize decorated classes. */
export const definitionSlot: unique symbol = Symbol.for("haft/tool:definition") as never;

/** Schemas as JSON Schema, and without code. */
export const toClassDefinition = (given: object, spec: ToolSpec): ClassDefinition => {
  const { input, parameters, output, timeout, validator, layers, key, reconcile, ...said } = given as Record<
    string,
    unknown
  >;
  const copy = copyJson(said);
  return freezeJson({
    type: "function",
    ...(copy.ok ? (copy.value as object) : {}),
    name: spec.name,
    description: spec.description,
    ...(spec.noSchemaMode === undefined ? { parameters: spec.input } : {}),
    ...(spec.output === undefined ? {} : { output: spec.output }),
    ...(spec.timeoutMs === undefined ? {} : { timeout: spec.timeoutMs }),
  });
};

/** Subclasses do not inherit it. */
export const readSlot = (value: unknown, slot: symbol): unknown =>
  typeof value === "function" && Object.hasOwn(value, slot)
    ? (value as unknown as Readonly<Record<symbol, unknown>>)[slot]
    : undefined;
