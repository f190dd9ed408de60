import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type InputRequest, inputRequired } from "@modelcontextprotocol/server";
import { strings } from "./fixture.ts";

/** Signs state that passes through the client. One process serves all rounds, so the key is per process. */
export const sealed = createRequestStateCodec<{ readonly round: number }>({ key: randomBytes(32) });

export const askFor = (message: string, ...fields: readonly string[]): InputRequest =>
  inputRequired.elicit({ message, requestedSchema: strings(...fields) });

export const askToConfirm = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: { type: "boolean" } }, required: [field] },
  });

export const askModel = (words: string, maxTokens = 100): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: words } }],
    maxTokens,
  });

export const askForRoots = (): InputRequest => inputRequired.listRoots();
