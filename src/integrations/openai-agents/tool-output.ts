import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from "@openai/agents";
import type { ContentPart } from "../../types/content.ts";
import { describeMedia } from "../../types/content.ts";
import type { Reply } from "../../types/reply.ts";

/** One piece of a result with pictures or files, in the SDK's words. */
export type ToolOutputPart = ToolOutputText | ToolOutputImage | ToolOutputFileContent;

/** What the SDK hands its model: the reply's text, and its pictures and files where there are some. */
export const toToolOutput = ({ text, parts }: Reply): string | ToolOutputPart[] =>
  parts === undefined ? text : [{ type: "text", text }, ...parts.map(toToolOutputPart)];

/** The SDK has no sounds in results: they are told in words. */
const toToolOutputPart = (part: ContentPart): ToolOutputPart => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind, mediaType, name, data, url } = part;
  if (kind === "image") return { type: "image", image: data === undefined ? { url } : { data, mediaType } };
  if (kind === "audio") return { type: "text", text: `[${describeMedia(part)}: it cannot be shown to you.]` };
  const filename = name ?? "file";
  return { type: "file", file: data === undefined ? { url, filename } : { data, mediaType, filename } };
};
