import type { JsonObject } from "../../../base/json/is-object.ts";
import type { AssistantMessage, ProviderEcho } from "../../../types/message.ts";
import { readField, toTextOrEmpty } from "../model-reply.ts";

const wire = "openai-chat";
/** Servers that speak like OpenAI show thoughts under one of these; OpenAI itself shows none here. */
const thoughtFields = ["reasoning_content", "reasoning"] as const;

/** The thoughts of a message or a delta, and the name they came under. */
export const thoughtsIn = (
  message: unknown,
): { readonly name: string; readonly text: string } | undefined => {
  for (const name of thoughtFields) {
    const text = toTextOrEmpty(readField(message, name));
    if (text !== "") return { name, text };
  }
  return undefined;
};

export const toChatEcho = (name: string | undefined, text: string): ProviderEcho | undefined =>
  name === undefined ? undefined : { wire, data: { [name]: text } };

/**
 * Thoughts before calls go back under the name they came under: such models want them until the calls are answered. Behind
 * a whole answer they are left out, because some servers refuse them there.
 */
export const echoedThoughts = ({ echo }: AssistantMessage): JsonObject => {
  const thoughts = echo?.wire === wire ? thoughtsIn(echo.data) : undefined;
  return thoughts === undefined ? {} : { [thoughts.name]: thoughts.text };
};
