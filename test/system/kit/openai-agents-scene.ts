import { Agent, Runner, RunState } from "@openai/agents";
import {
  assistantMessage,
  functionCall,
  ScriptedModel,
  type ScriptedModelInput,
} from "@openai/agents/testing";
import type { Session } from "haft";
import { toOpenAiAgentsTools } from "haft/bridges/openai-agents";
import { expect } from "vitest";
import type { MailDesk } from "./mail-desk.ts";

export const runner = new Runner({ tracingDisabled: true });

export const read = (callId = "r1") => functionCall("read_page", { url: "a.example" }, { callId });
export const send = (callId = "s1", to = "bob") => functionCall("send_mail", { to }, { callId });
export const says = (text: string) => [assistantMessage(text)];

/** An agent of the OpenAI Agents SDK with the session's tools, whose model follows a script. */
export const agentOf = (session: Session, ...turns: ScriptedModelInput[]) => {
  const model = new ScriptedModel(turns);
  return { model, agent: new Agent({ name: "desk", model, tools: toOpenAiAgentsTools(session) }) };
};

/** What the model was told of each call, in its last request. */
export const told = (model: ScriptedModel): Readonly<Record<string, string>> => {
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

/** A run that has read a page and stops at the mails: the text of its state is what one process leaves behind. */
export const paused = async (session: Session, ...mails: ReturnType<typeof send>[]): Promise<string> => {
  const calls = mails.length === 0 ? [send()] : mails;
  const { agent } = agentOf(session, [read()], calls);
  const result = await runner.run(agent, "Read the page and tell Bob.");
  expect(result.interruptions).toHaveLength(calls.length);
  return result.state.toString();
};

/** Another process with the same ledger and session, and the state as it was kept. */
export const resumed = async (desk: MailDesk, kept: string) => {
  const session = (await desk.open()).session({ id: "c-1" });
  const { agent, model } = agentOf(session, says("Done."));
  return { session, agent, model, state: await RunState.fromString(agent, kept) };
};
