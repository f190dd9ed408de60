// The same agents with their frameworks alone: nothing is recorded, and anyone who can write the framework's
// state can approve.
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, tool as agentsTool, type Model, RunState, run } from "@openai/agents";
import { generateText, isStepCount, type LanguageModel, type ModelMessage, tool } from "ai";
import { Effect, Schema } from "effect";
import { type Chat, Tool, Toolkit } from "effect/ai";
import { createAgent, humanInTheLoopMiddleware, tool as langchainTool } from "langchain";
import { z } from "zod";

const input = z.object({ to: z.string(), text: z.string() });
type Mail = z.infer<typeof input>;
const description = "Sends a mail.";
const send = async ({ to }: Mail) => ({ sent: to });

export const aiSdk = async (model: LanguageModel, messages: ModelMessage[]) => {
  //#region ai-sdk
  const sendMail = tool({ description, inputSchema: input, needsApproval: true, execute: send });
  const tools = { send_mail: sendMail };
  const { text, responseMessages } = await generateText({ model, tools, messages, stopWhen: isStepCount(9) });
  //#endregion
  return { text, responseMessages };
};

export const langchain = (model: string, checkpointer: true) => {
  //#region langchain
  const agent = createAgent({
    model,
    tools: [langchainTool(send, { name: "send_mail", description, schema: input })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send_mail: true } })],
    checkpointer,
  });
  //#endregion
  return agent;
};

export const openAiAgents = async (model: Model, text: string) => {
  //#region openai-agents
  const sendMail = agentsTool({
    name: "send_mail",
    description,
    parameters: input,
    needsApproval: true,
    execute: send,
  });
  const agent = new Agent({ name: "clerk", model, tools: [sendMail] });
  const state = await RunState.fromString(agent, text);
  for (const item of state.getInterruptions()) state.approve(item);
  const { finalOutput } = await run(agent, state);
  //#endregion
  return finalOutput;
};

export const mastra = async (model: string, runId: string, toolCallId: string) => {
  //#region mastra
  const sendMail = createTool({
    id: "send_mail",
    description,
    inputSchema: input,
    requireApproval: true,
    execute: send,
  });
  const clerk = new MastraAgent({
    id: "clerk",
    name: "Clerk",
    instructions: "Be helpful.",
    model,
    tools: { sendMail },
  });
  const { text } = await clerk.approveToolCallGenerate({ runId, toolCallId });
  //#endregion
  return text;
};

export const effectAi = (chat: Chat.Chat) =>
  Effect.gen(function* () {
    //#region effect-ai
    const SendMail = Tool.make("send_mail", {
      description,
      parameters: Schema.Struct({ to: Schema.String, text: Schema.String }),
      success: Schema.Struct({ sent: Schema.String }),
      needsApproval: true,
    });
    const toolkit = Toolkit.make(SendMail);
    const layer = toolkit.toLayer({ send_mail: ({ to }) => Effect.succeed({ sent: to }) });
    const response = yield* chat.generateText({ prompt: "…", toolkit }).pipe(Effect.provide(layer));
    //#endregion
    return response.text;
  });
