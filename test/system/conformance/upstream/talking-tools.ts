import { inputRequired, inputResponse, type ServerContext } from "@modelcontextprotocol/server";
import type { Changes } from "./changes.ts";
import { pause, strings, type ToolFixture, text } from "./fixture.ts";
import { defaultsForm, enumsForm } from "./forms.ts";
import { askModel } from "./questions.ts";

const tellProgress = async (context: ServerContext, progress: number): Promise<void> => {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await context.mcpReq.notify({
    method: "notifications/progress",
    params: { progressToken, progress, total: 100, message: `${progress} of 100` },
  });
};

/** Elicits a form and returns the answer as text. */
const formTool = (
  name: string,
  description: string,
  say: string,
  form: Parameters<typeof inputRequired.elicit>[0],
): ToolFixture => ({
  name,
  description,
  call: (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "form");
    if (answer.kind !== "elicit")
      return inputRequired({ inputRequests: { form: inputRequired.elicit(form) } });
    return text(`${say}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
  },
});

/** Tools that send notifications or requests before they answer. */
export const talkingTools = (changes: Changes): readonly ToolFixture[] => [
  {
    name: "test_tool_with_logging",
    description: "Logs three times while it works.",
    call: async (_, { mcpReq }) => {
      await mcpReq.log("info", "Tool execution started");
      await pause(50, mcpReq.signal);
      await mcpReq.log("info", "Tool processing data");
      await pause(50, mcpReq.signal);
      await mcpReq.log("info", "Tool execution completed");
      return text("Tool with logging executed successfully");
    },
  },
  {
    name: "test_logging_tool",
    description: "Logs once, for those who want to hear it.",
    call: async (_, { mcpReq }) => {
      await mcpReq.log("info", "Only for those who asked for it");
      return text("logged");
    },
  },
  {
    name: "test_tool_with_progress",
    description: "Reports its progress three times.",
    call: async (_, context) => {
      for (const progress of [0, 50, 100]) {
        await tellProgress(context, progress);
        await pause(50, context.mcpReq.signal);
      }
      return text("Tool with progress executed successfully");
    },
  },
  {
    name: "test_sampling",
    description: "Asks the client's model.",
    inputSchema: strings("prompt"),
    call: ({ prompt }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "model");
      if (answer.kind !== "sampling")
        return inputRequired({ inputRequests: { model: askModel(String(prompt)) } });
      return text(`LLM response: ${JSON.stringify(answer.result.content)}`);
    },
  },
  {
    name: "test_elicitation",
    description: "Asks the user for a name and an address.",
    inputSchema: strings("message"),
    call: ({ message }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "user");
      const requestedSchema = strings("username", "email");
      const question = inputRequired.elicit({ message: String(message), requestedSchema });
      if (answer.kind !== "elicit") return inputRequired({ inputRequests: { user: question } });
      return text(`User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
    },
  },
  formTool(
    "test_elicitation_sep1034_defaults",
    "Asks with a form whose fields have defaults.",
    "Elicitation completed",
    defaultsForm,
  ),
  formTool(
    "test_elicitation_sep1330_enums",
    "Asks with a form of every kind of choice.",
    "Elicitation completed",
    enumsForm,
  ),
  {
    name: "test_streaming_elicitation",
    description: "Asks the user for a name in the middle of its work.",
    call: (_, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "name");
      const question = inputRequired.elicit({ message: "Who is there?", requestedSchema: strings("name") });
      if (answer.kind !== "elicit") return inputRequired({ inputRequests: { name: question } });
      return text(`There is ${answer.content?.name}.`);
    },
  },
  {
    name: "test_missing_capability",
    description: "Needs a client that can ask a model.",
    call: (_, { mcpReq }) =>
      inputResponse(mcpReq.inputResponses, "model").kind === "sampling"
        ? text("The client can ask a model.")
        : inputRequired({ inputRequests: { model: askModel("Are you there?") } }),
  },
  {
    name: "test_reconnection",
    description: "Closes its stream before it answers, where it can.",
    call: async (_, { http, mcpReq }) => {
      await pause(20, mcpReq.signal);
      http?.closeSSE?.();
      await pause(100, mcpReq.signal);
      return text("Reconnection test completed successfully");
    },
  },
  {
    name: "test_trigger_tool_change",
    description: "Adds a tool to the list, or takes it away again.",
    call: () => {
      changes.changeTools();
      return text("The list of tools is another one now.");
    },
  },
  {
    name: "test_trigger_prompt_change",
    description: "Adds a prompt to the list, or takes it away again.",
    call: () => {
      changes.changePrompts();
      return text("The list of prompts is another one now.");
    },
  },
];

export const extraTool: ToolFixture = {
  name: "test_comes_and_goes",
  description: "Is listed every other time that the list is changed.",
  call: () => text("still here"),
};
