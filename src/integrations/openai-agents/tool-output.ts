import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from "@openai/agents";
import type { ContentPart } from "../../types/content.ts";
import { describeMedia } from "../../types/content.ts";
import type { Reply } from "../../types/reply.ts";

export type ToolOutputPart = ToolOutputText | ToolOutputImage | ToolOutputFileContent;

export const toToolOutput = ({ text, parts }: Reply): string | ToolOutputPart[] =>
  parts === undefined ? text : [{ type: "text", text }, ...parts.map(toToolOutputPart)];

/** The SDK has no audio in results. */
const toToolOutputPart = (part: ContentPart): ToolOutputPart => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind, mediaType, name, data, url } = part;
  if (kind === "image") return { type: "image", image: data === undefined ? { url } : { data, mediaType } };
  if (kind === "audio") return { type: "text", text: `[${describeMedia(part)}: it cannot be shown to you.]` };
  const filename = name ?? "file";
  return { type: "file", file: data === undefined ? { url, filename } : { data, mediaType, filename } };
};
