import type { CallDrafts } from "../calls/call-drafts.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { type OllamaStreamState, readOllamaReply } from "./read-calls.ts";

/** The lines of a chat stream of Ollama's. */
export const ollamaEvents = (drafts: CallDrafts): EventReader => {
  let before: OllamaStreamState | undefined;
  return {
    read: (event) => {
      before = readOllamaReply(drafts, event, before);
    },
  };
};
