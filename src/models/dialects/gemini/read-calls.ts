import type { CallDrafts } from "../calls/call-drafts.ts";
import type { ForeignFields } from "../calls/read-untyped-fields.ts";
import { geminiEvents } from "./call-collector.ts";

/** A complete reply has the shape of one stream event. */
export const readGeminiReply = (drafts: CallDrafts, body: ForeignFields): void =>
  geminiEvents(drafts).read(body);
