import type { Drafts } from "../calls/drafts.ts";
import type { Fields } from "../calls/fields.ts";
import { geminiEvents } from "./call-collector.ts";

/** A reply of generateContent: the same shape as one event of its stream. */
export const readGeminiReply = (drafts: Drafts, body: Fields): void => geminiEvents(drafts).read(body);
