import type { CallDrafts } from "../calls/call-drafts.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { type OllamaStreamState, readOllamaReply } from "./read-calls.ts";

export const ollamaEvents = (drafts: CallDrafts): EventReader => {
  let state: OllamaStreamState | undefined;
  return {
    read: (event) => {
      state = readOllamaReply(drafts, event, state);
    },
  };
};
