import type { BackendCall } from "../../src/server/gateway/gateway-backend.ts";
import type { InputRequests } from "../../src/types/mcp.ts";

export const formElicitation = (message: string): InputRequests[string] => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  },
});

export const acceptedForm = (name: string) => ({ action: "accept", content: { name } });

/** Asks for two names, one after the other. */
export const elicitTwice = async ({ caller, signal }: BackendCall) => {
  const first = await caller.ask!({ first: formElicitation("First name?") }, signal);
  const last = await caller.ask!({ last: formElicitation("Last name?") }, signal);
  const nameOf = (answer: unknown) => (answer as { content: { name: string } }).content.name;
  return `${nameOf(first.first)} ${nameOf(last.last)}`;
};

/** The capability of a client that supports these elicitations. */
export const elicitationCapability = { elicitation: { form: {} } };
