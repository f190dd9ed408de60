import type { Model } from "../words/model.ts";
import { withAnswerNulls } from "./answer-nulls.ts";
import { checkClient } from "./check-client.ts";
import { chatVendor } from "./openai/chat.ts";
import type { OpenAIOptions } from "./openai/client.ts";
import { responsesVendor } from "./openai/responses.ts";
import type { ToolCaller } from "./tool-call.ts";
import { vendorModel } from "./vendor-model.ts";

export type { OpenAIClient, OpenAIOptions } from "./openai/client.ts";

/** A model of OpenAI, or of a server that speaks like it, over the package `openai`, which is loaded on first use. */
export const openai = (modelId: string, options: OpenAIOptions = {}): Model & ToolCaller => {
  checkClient("openai", modelId, options, [
    "apiKey",
    "baseUrl",
    "baseURL",
    "api",
    "organization",
    "headers",
    "fetch",
    "extra",
    "toolSearch",
    "structuredOutput",
    "takes",
    "client",
  ]);
  const id = `openai/${modelId}`;
  const vendor = options.api === "chat" ? chatVendor : responsesVendor;
  const takesOutput = (): boolean => options.structuredOutput !== false;
  return vendorModel(id, { ...withAnswerNulls(vendor(id, modelId, options)), takesOutput });
};
