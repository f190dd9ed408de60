import type { CallDrafts } from "../calls/call-drafts.ts";
import type { ForeignFields } from "../calls/foreign-fields.ts";
import { geminiEvents } from "./call-collector.ts";

/** A reply of generateContent: the same shape as one event of its stream. */
export const readGeminiReply = (drafts: CallDrafts, body: ForeignFields): void =>
  geminiEvents(drafts).read(body);
