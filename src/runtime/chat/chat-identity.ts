import { hashText } from "../../base/json/hash.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import { chatRunPrefix } from "../../types/run-store.ts";
import { readPrincipal } from "../read-principal.ts";
import { delegationChainKey } from "../session/session-options.ts";

/** Which chat it is, whose, and what the ledger knows it by. */
export interface ChatIdentity {
  /** As the page calls it. */
  readonly chatId: string;
  readonly runId: string;
  /** Name of the agent that it began with. */
  readonly agent: string;
  /** Who speaks; its `session` is the chat. */
  readonly principal: Principal;
}

/**
 * The run follows from the agent, the chat's id and everybody whose right it is. Under anybody else the same id is another
 * chat, so there is nothing to look up and refuse.
 */
export const chatIdentity = (agent: string, person: Principal, chatId: string): ChatIdentity => {
  const principal = Object.freeze({ ...person, session: chatId });
  const runId = `${chatRunPrefix}${hashText(JSON.stringify([agent, delegationChainKey(principal)])).slice(0, 32)}`;
  return { chatId, runId, agent, principal };
};

/** The person as the caller named them. A chat is their session, so they can have no other. */
export const readChatPrincipal = (given: Principal): Principal => {
  const person = readPrincipal(given)!;
  if (person.session === undefined) return person;
  throw new ConfigurationError(
    "invalid_config",
    "The principal of a chat names no `session`: the chat is its session. Name the `user` whose chats these are.",
  );
};
