import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/freeze-json.ts";
import type { JsonSchema } from "../types/json.ts";
import type { ToolSpec } from "../types/spec.ts";
import type { ToolDescription } from "./tool-definition.ts";

/** Plain data, frozen all the way down: the one source for translation, validation and audit. */
export interface ClassDefinition
  extends Omit<
    ToolDescription<string, JsonSchema, JsonSchema>,
    "type" | "input" | "timeout" | "validator" | "layers" | "key" | "reconcile"
  > {
  readonly type: "function";
  /** In milliseconds. */
  readonly timeout?: number;
}

/** Shared with other copies of this package, so that a class that one of them decorated is known to all. */
export const definitionSlot: unique symbol = Symbol.for("haft/tool:definition") as never;

/**
 * What the author said, word for word, save for what is no data: schemas are the JSON Schema they were read as,
 * under one name, and code is left out.
 */
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

/** What lies in a slot of this class itself: a subclass has nothing of its own there, whatever it inherits. */
export const readSlot = (value: unknown, slot: symbol): unknown =>
  typeof value === "function" && Object.hasOwn(value, slot)
    ? (value as unknown as Readonly<Record<symbol, unknown>>)[slot]
    : undefined;
