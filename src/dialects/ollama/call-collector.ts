import type { CallDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { readOllamaReply } from "./read-calls.ts";

/** The lines of a chat stream of Ollama's. */
export const ollamaEvents = (drafts: Drafts): EventReader => {
  let last: CallDraft | undefined;
  return {
    read: (event) => {
      last = readOllamaReply(drafts, event, last);
    },
  };
};
