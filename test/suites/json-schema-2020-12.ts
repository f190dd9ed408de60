import { scoreJsonSchema } from "./score-json-schema.ts";
import type { Suite } from "./suite.ts";

export const name = "JSON Schema Test Suite, draft 2020-12, required tests";

export const floor = 0.99;

export const mostWrong = 0;

export const run: Suite["run"] = (dataDir) =>
  scoreJsonSchema(dataDir, {
    folder: "draft2020-12",
    dialect: "https://json-schema.org/draft/2020-12/schema",
  });
