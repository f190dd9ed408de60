import { foreignFieldsOf } from "../calls/foreign-fields.ts";
import { readField, toCount, toItems } from "../model-reply.ts";
import { sourceName, untrustedSourceNames } from "../untrusted-sources.ts";
import { choicesOf } from "./chat-finish.ts";

const ownParts: ReadonlySet<unknown> = new Set(["text", "refusal", "thinking", "reasoning", "output_text"]);

/**
 * Servers report citations in the body (xAI, Perplexity), the choice or the message (OpenAI, Groq, Azure).
 */
export const chatSources = (body: unknown): readonly string[] => {
  const choices = choicesOf(foreignFieldsOf(body));
  const messages = choices.flatMap(({ message, delta }) => [message, delta]);
  const parts = messages.flatMap((message) => toItems(readField(message, "content")));
  return [
    ...[body, ...choices, ...messages].flatMap(untrustedSourceNames),
    ...messages.flatMap((message) => untrustedSourceNames(readField(message, "provider_specific_fields"))),
    ...parts.flatMap((part) => {
      const { type } = foreignFieldsOf(part);
      return ownParts.has(type) ? untrustedSourceNames(part) : [sourceName(type)];
    }),
    ...(toCount(readField(readField(body, "usage"), "num_sources_used")) > 0 ? ["num_sources_used"] : []),
  ];
};
