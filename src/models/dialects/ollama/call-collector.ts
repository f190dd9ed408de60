import type { CallDrafts } from "../calls/call-drafts.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { type OllamaStreamState, readOllamaReply } from "./read-calls.ts";

export const ollamaEvents = (drafts: CallDrafts): EventReader => {
  let before: OllamaStreamState | undefined;
  return {
    read: (event) => {
      before = readOllamaReply(drafts, event, before);
    },
  };
};
