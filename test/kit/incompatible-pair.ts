import type { JsonSchema } from "../../src/types/json.ts";

/** Two schemas, and the first reason why the first does not fit the second. */
export type IncompatiblePair = readonly [
  name: string,
  narrow: JsonSchema | boolean,
  wide: JsonSchema | boolean,
  reason: string,
];
