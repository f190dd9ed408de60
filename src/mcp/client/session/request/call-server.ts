import type { Client, RequestOptions, StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";
import { unwrapResult } from "./carry-result.ts";

export const callServer = async (
  client: Client,
  request: { readonly method: string; readonly params?: JsonObject },
  options: RequestOptions,
): Promise<JsonObject> => unwrapResult(await client.request(request, anyResultSchema, options));

/** The SDK's schemas would drop unknown fields. */
const anyResultSchema: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as JsonObject }) },
};
