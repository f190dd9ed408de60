import type { Drafts } from "../calls/drafts.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { type OllamaBefore, readOllamaReply } from "./read-calls.ts";

/** The lines of a chat stream of Ollama's. */
export const ollamaEvents = (drafts: Drafts): EventReader => {
  let before: OllamaBefore | undefined;
  return {
    read: (event) => {
      before = readOllamaReply(drafts, event, before);
    },
  };
};
