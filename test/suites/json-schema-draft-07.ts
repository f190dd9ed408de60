import { scoreJsonSchema } from "./score-json-schema.ts";
import type { Suite } from "./suite.ts";

export const name = "JSON Schema Test Suite, draft-07, required tests";

export const floor = 0.99;

export const mostWrong = 0;

export const run: Suite["run"] = (dataDir) =>
  scoreJsonSchema(dataDir, { folder: "draft7", dialect: "http://json-schema.org/draft-07/schema#" });
