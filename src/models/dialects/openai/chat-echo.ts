import type { JsonObject } from "../../../base/json/is-object.ts";
import type { AssistantMessage, ProviderEcho } from "../../../types/message.ts";
import { readField, toTextOrEmpty } from "../model-reply.ts";

const wire = "openai-chat";
/** Only compatible servers send these. */
const reasoningFields = ["reasoning_content", "reasoning"] as const;

export const reasoningIn = (
  message: unknown,
): { readonly name: string; readonly text: string } | undefined => {
  for (const name of reasoningFields) {
    const text = toTextOrEmpty(readField(message, name));
    if (text !== "") return { name, text };
  }
  return undefined;
};

export const toChatEcho = (name: string | undefined, text: string): ProviderEcho | undefined =>
  name === undefined ? undefined : { wire, data: { [name]: text } };

/** Models need the reasoning until their calls are answered. Some servers refuse it after a final answer. */
export const echoedReasoning = ({ echo }: AssistantMessage): JsonObject => {
  const thoughts = echo?.wire === wire ? reasoningIn(echo.data) : undefined;
  return thoughts === undefined ? {} : { [thoughts.name]: thoughts.text };
};
