import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";

/** Results stay whole: the SDK's schemas would drop what they do not know. */
export const anyResultSchema: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as JsonObject }) },
};
