import { Agent, Runner, RunState } from "@openai/agents";
import {
  assistantMessage,
  functionCall,
  ScriptedModel,
  type ScriptedModelInput,
} from "@openai/agents/testing";
import type { Session } from "haft";
import { toOpenAiAgentsTools } from "haft/integrations/openai-agents";
import { expect } from "vitest";
import type { MailDesk } from "./mail-desk.ts";

export const runner = new Runner({ tracingDisabled: true });

export const agentsReadPageCall = (callId = "r1") =>
  functionCall("read_page", { url: "a.example" }, { callId });
export const agentsSendMailCall = (callId = "s1", to = "bob") =>
  functionCall("send_mail", { to }, { callId });
export const textTurn = (text: string) => [assistantMessage(text)];

/** An agent of the OpenAI Agents SDK with session tools and a scripted model. */
export const createScriptedAgent = (session: Session, ...turns: ScriptedModelInput[]) => {
  const model = new ScriptedModel(turns);
  return { model, agent: new Agent({ name: "desk", model, tools: toOpenAiAgentsTools(session) }) };
};

/** What the model received for each call, in its last request. */
export const toldResults = (model: ScriptedModel): Readonly<Record<string, string>> => {
  const input = model.calls.at(-1)?.request.input;
  const items = typeof input === "string" || input === undefined ? [] : input;
  return Object.fromEntries(
    items.flatMap((item) => {
      if (item.type !== "function_call_result") return [];
      const { output } = item;
      return [[item.callId, typeof output === "string" ? output : (output as { text: string }).text]];
    }),
  );
};

/** A run that has read a page and is paused at the mails; returns its serialized state. */
export const pauseAgentsRun = async (
  session: Session,
  ...mails: ReturnType<typeof agentsSendMailCall>[]
): Promise<string> => {
  const calls = mails.length === 0 ? [agentsSendMailCall()] : mails;
  const { agent } = createScriptedAgent(session, [agentsReadPageCall()], calls);
  const result = await runner.run(agent, "Read the page and tell Bob.");
  expect(result.interruptions).toHaveLength(calls.length);
  return result.state.toString();
};

/** Another process with the same ledger and session, and the stored state. */
export const resumeAgentsRun = async (desk: MailDesk, state: string) => {
  const session = (await desk.open()).session({ id: "c-1" });
  const { agent, model } = createScriptedAgent(session, textTurn("Done."));
  return { session, agent, model, state: await RunState.fromString(agent, state) };
};
