import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../json/is-object.ts";
import { anyResult } from "./any-result.ts";
import { carriedResult } from "./carry-result.ts";

/** One request and its answer, whole. What the answer means is up to whoever asked. */
export const askServer = async (
  client: Client,
  request: { readonly method: string; readonly params?: JsonObject },
  options: RequestOptions,
): Promise<JsonObject> => carriedResult(await client.request(request, anyResult, options));
