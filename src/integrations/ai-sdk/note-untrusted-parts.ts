import { partSources, type SourcedPart } from "../../models/ai-sdk/part-sources.ts";
import type { Session } from "../../runtime/session.ts";

/** One part of what a model said. */
export interface ModelOutputPart extends SourcedPart {
  readonly type: string;
  readonly id?: unknown;
  readonly toolCallId?: unknown;
}

/** Notes the untrusted content of a part; done when the session knows. */
export type NoteUntrustedPart = (part: ModelOutputPart) => Promise<void>;

/**
 * What the provider brought in is in no message that the loop shows: results of its own tools, sources, citations, and
 * calls whose results the provider keeps to itself.
 */
export const createUntrustedPartNoter = (session: Session): NoteUntrustedPart => {
  const noted = new Set<string>();
  return async (part) => {
    if (partTypesWithoutContent.has(part.type)) return;
    const callId = String(part.toolCallId ?? part.id ?? part.type);
    for (const tool of partSources(toSourcedPart(part))) {
      if (noted.has(tool)) continue;
      // Named explicitly: under the id of a call of the session's own it would count as that call's result.
      await session.note([{ role: "tool", callId, tool, content: "", ok: true, taints: [tool] }]);
      noted.add(tool);
    }
  };
};

/** Parts of a stream that bring nothing in. */
const partTypesWithoutContent: ReadonlySet<string> = new Set([
  "stream-start",
  "response-metadata",
  "tool-input-start",
  "tool-input-delta",
  "tool-input-end",
  "error",
  "raw",
]);

/** The start, the deltas and the end of a text carry metadata as the whole text does, and so does the end of the stream. */
const toSourcedPart = (part: ModelOutputPart): SourcedPart => {
  const isModelText = part.type === "finish" || /^(text|reasoning)-(start|delta|end)$/.test(part.type);
  return isModelText ? { ...part, type: "text" } : part;
};
