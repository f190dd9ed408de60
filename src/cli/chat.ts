import type { Agent, AgentResponse } from "../words/agent.ts";
import type { Message } from "../words/message.ts";
import type { Terminal } from "./command.ts";
import { painter } from "./screen.ts";

/** Talks until nobody says anything more. Gives the last response, if there was one. */
export const chat = async (
  { agent }: { readonly agent: Agent },
  terminal: Terminal,
  before: readonly Message[],
  answer: (input: string, context: readonly Message[]) => Promise<AgentResponse>,
): Promise<AgentResponse | undefined> => {
  const { dim, bold } = painter(terminal);
  terminal.error(dim(`Talking with ${agent.name}. An empty line or Ctrl-D ends it.\n`));
  let context = before;
  let response: AgentResponse | undefined;
  while (!terminal.signal.aborted) {
    const input = (await terminal.ask(bold("you> ")))?.trim() ?? "";
    if (input === "") break;
    response = await answer(input, context);
    context = response.context;
    if (response.status === "cancelled") break;
  }
  return response;
};
