import { PartialJson } from "../../base/json/partial-json.ts";
import type { AgentEvent, OutputFormat } from "../../types/agent.ts";
import type { ModelListener } from "../model-caller.ts";
import { unwrapAnswer } from "./parse-model-answer.ts";

export const modelListener = (
  emit: (event: AgentEvent) => void,
  agent: string,
  form: OutputFormat | undefined,
): ModelListener => {
  let partial = new PartialJson();
  return {
    onText: (text) => {
      emit({ kind: "text", agent, text });
      if (form === undefined) return;
      const value = unwrapAnswer(form, partial.push(text));
      if (value !== undefined) emit({ kind: "output", agent, value });
    },
    onReasoning: (text) => emit({ kind: "reasoning", agent, text }),
    onReset: (reason) => {
      partial = new PartialJson();
      emit({ kind: "reset", agent, reason });
    },
  };
};
