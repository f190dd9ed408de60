import { PartialJson } from "../base/json/partial-json.ts";
import type { Agent, AgentEvent, OutputFormat } from "../types/agent.ts";
import type { Message } from "../types/message.ts";
import type { ActiveRun, AgentTurn, ModelTurn } from "./active-run.ts";
import { toAnswerRequest } from "./answer-request.ts";
import type { ModelListener } from "./model-caller.ts";
import { unwrapAnswer } from "./parse-model-answer.ts";
import type { RunProgress } from "./run-progress.ts";

export const toModelTurn = (step: AgentTurn, run: ActiveRun, progress: RunProgress): ModelTurn => {
  const { expectedAnswer, emit: tell } = run;
  const { agent, model, tools } = step;
  return {
    ...step,
    messages: withInstructions(agent, progress.messages),
    listener: tell && modelListener(tell, agent.name, expectedAnswer?.form),
    answer: expectedAnswer && toAnswerRequest(expectedAnswer.form, model, tools.listed, progress.corrections),
  };
};

const withInstructions = ({ instructions }: Agent, messages: readonly Message[]): readonly Message[] => {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instructions }, ...messages];
  return [{ role: "system", content: `${instructions}\n\n${first.content}` }, ...rest];
};

const modelListener = (
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
