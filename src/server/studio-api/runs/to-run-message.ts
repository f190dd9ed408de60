import { masked } from "../../ledger/masked.ts";
import { mediaOf, textOf } from "../../words/content.ts";
import type { LedgerEntry } from "../../words/ledger.ts";
import type { Message } from "../../words/message.ts";
import { given } from "../calls/call-line.ts";
import { toText } from "../text.ts";
import type { RunMessage } from "../words/runs.ts";
import type { Text } from "../words/shared.ts";
import type { StudioWorld } from "../world.ts";

/** What was said in a run is kept exactly, so it is masked here as rows are. */
export const toMessage = (
  { redactor }: StudioWorld,
  message: Message,
  calls: ReadonlyMap<string, LedgerEntry>,
): RunMessage => {
  const masking = (text: string): Text => toText(masked(text, redactor));
  const { role } = message;
  if (role === "system") return { role, text: masking(message.content) };
  if (role === "user") return { role, text: masking(textOf(message)), ...mediaIn(mediaOf(message.content)) };
  if (role === "tool") {
    const { callId, tool, ok, pending, taints, parts } = message;
    const about = { callId, tool, ok, ...given({ pending, taints }) };
    return { role, text: masking(message.content), ...about, ...mediaIn(mediaOf(parts ?? [])) };
  }
  return {
    role,
    text: masking(message.content),
    ...given({ agent: message.agent }),
    ...(message.reasoning === undefined ? {} : { reasoning: masking(message.reasoning) }),
    ...(message.calls === undefined
      ? {}
      : {
          calls: message.calls.map(({ id, tool, input }) => ({
            id,
            tool,
            input: masking(typeof input === "string" ? input : (JSON.stringify(input) ?? "")),
            ...given({ entryId: calls.get(id)?.entryId }),
          })),
        }),
    ...mediaIn(mediaOf(message.parts ?? [])),
  };
};

const mediaIn = (media: ReturnType<typeof mediaOf>): Pick<RunMessage, "media"> =>
  media.length === 0
    ? {}
    : { media: media.map(({ kind, mediaType, name }) => ({ kind, mediaType, ...given({ name }) })) };
