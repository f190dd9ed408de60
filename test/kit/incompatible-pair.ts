import type { JsonSchema } from "../../src/types/json.ts";

/** Two schemas, and the first reason why the one does not fit the other. */
export type IncompatiblePair = readonly [
  name: string,
  narrow: JsonSchema | boolean,
  wide: JsonSchema | boolean,
  reason: string,
];
