import type { Agent } from "../words/agent.ts";
import type { Message } from "../words/message.ts";
import { toAnswerQuestion } from "./answer/answer-question.ts";
import { listenerFor } from "./answer/listen.ts";
import type { RunProgress } from "./progress.ts";
import type { AgentTurn, AskedModel, Running } from "./running.ts";

/** What the model is asked in one turn: the whole conversation, and the form that its answer must have. */
export const toQuestion = (step: AgentTurn, running: Running, progress: RunProgress): AskedModel => {
  const { wanted, tell } = running;
  const { agent, model, tools } = step;
  return {
    ...step,
    messages: withInstructions(agent, progress.messages),
    listener: tell && listenerFor(tell, agent.name, wanted?.form),
    answer: wanted && toAnswerQuestion(wanted.form, model, tools.listed, progress.asksAgain),
  };
};

/** The instructions come first; a system message that the conversation brings is added to them. */
const withInstructions = ({ instructions }: Agent, messages: readonly Message[]): readonly Message[] => {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instructions }, ...messages];
  return [{ role: "system", content: `${instructions}\n\n${first.content}` }, ...rest];
};
