import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { anyResult } from "./any-result.ts";
import { carriedResult } from "./carry-result.ts";
import type { Params, Result } from "./step.ts";

/** One request and its answer, whole. What the answer means is up to whoever asked. */
export const askServer = async (
  client: Client,
  request: { readonly method: string; readonly params?: Params },
  options: RequestOptions,
): Promise<Result> => carriedResult(await client.request(request, anyResult, options));
