import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";
import { anyResultSchema } from "./any-result.ts";
import { unwrapResult } from "./carry-result.ts";

export const callServer = async (
  client: Client,
  request: { readonly method: string; readonly params?: JsonObject },
  options: RequestOptions,
): Promise<JsonObject> => unwrapResult(await client.request(request, anyResultSchema, options));
