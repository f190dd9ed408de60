import type { JsonSchema } from "../../src/words/json.ts";

/** Two schemas, and the first reason why the one does not fit the other. */
export type Refused = readonly [
  name: string,
  narrow: JsonSchema | boolean,
  wide: JsonSchema | boolean,
  reason: string,
];
