import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";

/** The SDK's schemas would drop unknown fields. */
export const anyResultSchema: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as JsonObject }) },
};
