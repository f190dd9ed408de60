import { maskLedgerText } from "../../../ledger/mask-entry.ts";
import { mediaOf, textOf } from "../../../types/content.ts";
import type { LedgerEntry } from "../../../types/ledger.ts";
import type { Message } from "../../../types/message.ts";
import { definedFields } from "../calls/to-call-line.ts";
import type { StudioServices } from "../studio-services.ts";
import { toText } from "../to-text.ts";
import type { RunMessage } from "../types/runs.ts";
import type { Text } from "../types/shared.ts";

/** Messages are stored unmasked, so they are masked here. */
export const toRunMessage = (
  { redactor }: StudioServices,
  message: Message,
  calls: ReadonlyMap<string, LedgerEntry>,
): RunMessage => {
  const masking = (text: string): Text => toText(maskLedgerText(text, redactor));
  const { role } = message;
  if (role === "system") return { role, text: masking(message.content) };
  if (role === "user")
    return { role, text: masking(textOf(message)), ...toMessageMedia(mediaOf(message.content)) };
  if (role === "tool") {
    const { callId, tool, ok, pending, taints, parts } = message;
    const about = { callId, tool, ok, ...definedFields({ pending, taints }) };
    return { role, text: masking(message.content), ...about, ...toMessageMedia(mediaOf(parts ?? [])) };
  }
  return {
    role,
    text: masking(message.content),
    ...definedFields({ agent: message.agent }),
    ...(message.reasoning === undefined ? {} : { reasoning: masking(message.reasoning) }),
    ...(message.calls === undefined
      ? {}
      : {
          calls: message.calls.map(({ id, tool, input }) => ({
            id,
            tool,
            input: masking(typeof input === "string" ? input : (JSON.stringify(input) ?? "")),
            ...definedFields({ entryId: calls.get(id)?.entryId }),
          })),
        }),
    ...toMessageMedia(mediaOf(message.parts ?? [])),
  };
};

const toMessageMedia = (media: ReturnType<typeof mediaOf>): Pick<RunMessage, "media"> =>
  media.length === 0
    ? {}
    : { media: media.map(({ kind, mediaType, name }) => ({ kind, mediaType, ...definedFields({ name }) })) };
