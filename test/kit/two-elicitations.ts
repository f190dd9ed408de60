import type { ServedCall } from "../../src/gateway/served.ts";
import type { InputRequests } from "../../src/words/mcp.ts";

export const form = (message: string): InputRequests[string] => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  },
});

export const accepted = (name: string) => ({ action: "accept", content: { name } });

/** Asks for two names, one after the other. */
export const twoRounds = async ({ caller, signal }: ServedCall) => {
  const first = await caller.ask!({ first: form("First name?") }, signal);
  const last = await caller.ask!({ last: form("Last name?") }, signal);
  const nameOf = (answer: unknown) => (answer as { content: { name: string } }).content.name;
  return `${nameOf(first.first)} ${nameOf(last.last)}`;
};

/** What a client declares that can be asked so. */
export const elicitation = { elicitation: { form: {} } };
