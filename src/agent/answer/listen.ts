import { PartialJson } from "../../json/partial-json.ts";
import type { AgentEvent, AnswerForm } from "../../words/agent.ts";
import type { ModelListener } from "../model-call.ts";
import { unwrapped } from "./read-answer.ts";

/** Tells a run's listener what its model says, and, where an answer has a form, how much of it there is. */
export const listenerFor = (
  tell: (event: AgentEvent) => void,
  agent: string,
  form: AnswerForm | undefined,
): ModelListener => {
  let partial = new PartialJson();
  return {
    onText: (text) => {
      tell({ kind: "text", agent, text });
      if (form === undefined) return;
      const value = unwrapped(form, partial.push(text));
      if (value !== undefined) tell({ kind: "output", agent, value });
    },
    onReasoning: (text) => tell({ kind: "reasoning", agent, text }),
    onReset: (reason) => {
      partial = new PartialJson();
      tell({ kind: "reset", agent, reason });
    },
  };
};
