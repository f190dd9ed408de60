import { hashText } from "../../base/json/hash.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import { toRunId } from "../../types/run-kinds.ts";
import { readPrincipal } from "../read-principal.ts";
import { delegationChainKey } from "../session/session-options.ts";

export interface ChatIdentity {
  readonly chatId: string;
  readonly runId: string;
  readonly agent: string;
  readonly principal: Principal;
}

/**
 * Derives the run id from the agent, the chat id and the caller, so that another caller's chat with the same
 * id is a different run.
 */
export const chatIdentity = (agent: string, person: Principal, chatId: string): ChatIdentity => {
  const principal = Object.freeze({ ...person, session: chatId });
  const runId = toRunId(
    "chat",
    hashText(JSON.stringify([agent, delegationChainKey(principal)])).slice(0, 32),
  );
  return { chatId, runId, agent, principal };
};

/** Rejects a principal with a session, because the chat is the session. */
export const readChatPrincipal = (given: Principal): Principal => {
  const person = readPrincipal(given)!;
  if (person.session === undefined) return person;
  throw new ConfigurationError(
    "invalid_config",
    "The principal of a chat must not have a `session`: the chat is its session. Set the `user` who owns the chats.",
  );
};
