import type { StandardSchemaV1 } from "@modelcontextprotocol/client";

type Result = Readonly<Record<string, unknown>>;

/** Results stay whole: the SDK's schemas would drop what they do not know. */
export const anyResult: StandardSchemaV1<unknown, Result> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as Result }) },
};
