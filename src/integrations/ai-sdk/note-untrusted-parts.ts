import { partSources, type SourcedPart } from "../../models/ai-sdk/part-sources.ts";
import type { Session } from "../../runtime/session.ts";

export interface ModelOutputPart extends SourcedPart {
  readonly type: string;
  readonly id?: unknown;
  readonly toolCallId?: unknown;
}

export type NoteUntrustedPart = (part: ModelOutputPart) => Promise<void>;

/** Notes content from the provider that appears in no message of the loop. */
export const createUntrustedPartNoter = (session: Session): NoteUntrustedPart => {
  const noted = new Set<string>();
  return async (part) => {
    if (partTypesWithoutContent.has(part.type)) return;
    const callId = String(part.toolCallId ?? part.id ?? part.type);
    for (const tool of partSources(toSourcedPart(part))) {
      if (noted.has(tool)) continue;
      // Explicit taints: with the id of a session's call it would count as the result of that call.
      await session.note([{ role: "tool", callId, tool, content: "", ok: true, taints: [tool] }]);
      noted.add(tool);
    }
  };
};

const partTypesWithoutContent: ReadonlySet<string> = new Set([
  "stream-start",
  "response-metadata",
  "tool-input-start",
  "tool-input-delta",
  "tool-input-end",
  "error",
  "raw",
]);

/** Parts of a streamed text carry the same metadata as a whole text. */
const toSourcedPart = (part: ModelOutputPart): SourcedPart => {
  const isModelText = part.type === "finish" || /^(text|reasoning)-(start|delta|end)$/.test(part.type);
  return isModelText ? { ...part, type: "text" } : part;
};
