import type { Tool } from "ai";
import { type ContentPart, describeMedia } from "../../types/content.ts";
import type { Reply } from "../../types/reply.ts";

type ToModelOutput = NonNullable<Tool<unknown, unknown>["toModelOutput"]>;
type ModelOutput = Awaited<ReturnType<ToModelOutput>>;

/** Steps of one loop convert their results anew; of more, the oldest are told as their value alone. */
const maxKeptOutputs = 200;

/** What a model reads of results: the value, as the AI SDK has it, or the reply's text with its pictures and files. */
export interface ModelOutputs {
  readonly keep: (callId: string, reply: Reply) => void;
  readonly toModelOutput: ToModelOutput;
}

/** The AI SDK carries values and no media, so that those are kept here by the id of their call. */
export const createModelOutputs = (): ModelOutputs => {
  const outputsByCall = new Map<string, ModelOutput>();
  return {
    keep: (callId, { text, parts }) => {
      if (parts === undefined) return;
      outputsByCall.set(callId, {
        type: "content",
        value: [{ type: "text", text }, ...parts.map(toContent)],
      });
      if (outputsByCall.size > maxKeptOutputs)
        outputsByCall.delete(outputsByCall.keys().next().value as string);
    },
    toModelOutput: ({ toolCallId, output }) => outputsByCall.get(toolCallId) ?? toPlainOutput(output),
  };
};

/** As the AI SDK does it by itself. */
export const toPlainOutput = (output: unknown): ModelOutput =>
  typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: (output ?? null) as never };

type Content = Extract<ModelOutput, { readonly type: "content" }>["value"][number];

/** The AI SDK would open an address itself, whoever named it, so that a model is told where it is in words. */
const toContent = (part: ContentPart): Content => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { mediaType, name, data } = part;
  if (data === undefined) return { type: "text", text: `[${describeMedia(part)}]` };
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file", mediaType, data: { type: "data", data }, ...filename };
};
