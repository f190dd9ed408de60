import type { Tool } from "ai";
import { type ContentPart, describeMedia } from "../../types/content.ts";
import type { Reply } from "../../types/reply.ts";

type ToModelOutput = NonNullable<Tool<unknown, unknown>["toModelOutput"]>;
type ModelOutput = Awaited<ReturnType<ToModelOutput>>;

const maxKeptOutputs = 200;

export interface ModelOutputs {
  readonly keep: (callId: string, reply: Reply) => void;
  readonly toModelOutput: ToModelOutput;
}

/** The AI SDK carries values without media, so media are kept here by call id. */
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

export const toPlainOutput = (output: unknown): ModelOutput =>
  typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: (output ?? null) as never };

type Content = Extract<ModelOutput, { readonly type: "content" }>["value"][number];

/** The AI SDK would fetch any URL itself, so URLs are described as text. */
const toContent = (part: ContentPart): Content => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { mediaType, name, data } = part;
  if (data === undefined) return { type: "text", text: `[${describeMedia(part)}]` };
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file", mediaType, data: { type: "data", data }, ...filename };
};
