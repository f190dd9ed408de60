import {
  acceptedContent,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type PromptMessage,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Arguments } from "./fixture.ts";
import { png } from "./pictures.ts";
import { askFor } from "./questions.ts";

export interface PromptFixture {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  readonly get: (input: Arguments, context: ServerContext) => GetPromptResult | InputRequiredResult;
}

const user = (words: string): PromptMessage => ({ role: "user", content: { type: "text", text: words } });
const needed = (name: string, description: string) => ({ name, description, required: true });

export const prompts: readonly PromptFixture[] = [
  {
    name: "test_simple_prompt",
    description: "One message.",
    get: () => ({ messages: [user("This is a simple prompt for testing.")] }),
  },
  {
    name: "test_prompt_with_arguments",
    description: "One message with two arguments in it.",
    arguments: [needed("arg1", "First test argument"), needed("arg2", "Second test argument")],
    get: ({ arg1, arg2 }) => ({ messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A resource and a message about it.",
    arguments: [needed("resourceUri", "URI of the resource to embed")],
    get: ({ resourceUri }) => {
      const resource = {
        uri: String(resourceUri),
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      };
      const embedded: PromptMessage = { role: "user", content: { type: "resource", resource } };
      return { messages: [embedded, user("Please process the embedded resource above.")] };
    },
  },
  {
    name: "test_prompt_with_image",
    description: "A picture and a message about it.",
    get: () => ({
      messages: [
        { role: "user", content: { type: "image", data: png, mimeType: "image/png" } },
        user("Please analyze the image above."),
      ],
    }),
  },
  {
    name: "test_input_required_result_prompt",
    description: "Asks for its context first.",
    get: (_, { mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, "user_context");
      if (given !== undefined) return { messages: [user(`Context: ${given.context}`)] };
      const question = askFor("What context should the prompt use?", "context");
      return inputRequired({ inputRequests: { user_context: question } });
    },
  },
];

export const extraPrompt: PromptFixture = {
  name: "test_prompt_that_comes_and_goes",
  description: "Is listed every other time that the list is changed.",
  get: () => ({ messages: [user("still here")] }),
};
