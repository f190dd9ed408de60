import type { Model } from "../types/model.ts";
import { checkClientOptions } from "./check-client-options.ts";
import { chatVendor } from "./openai/chat-vendor.ts";
import type { OpenAIOptions } from "./openai/openai-client.ts";
import { responsesVendor } from "./openai/responses-vendor.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { vendorModel } from "./vendor-model.ts";
import { withAnswerNulls } from "./with-answer-nulls.ts";

export type { OpenAIClient, OpenAIOptions } from "./openai/openai-client.ts";

/** A model of OpenAI or of a compatible server, over the package `openai`, which is loaded on first use. */
export const openai = (modelId: string, options: OpenAIOptions = {}): Model & ToolCaller => {
  checkClientOptions("openai", modelId, options, [
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
