import { shorten } from "../../base/text/cut-text.ts";
import type { Issue } from "../../types/json.ts";

export const unreadableArgumentsMessage = (tool: string, problem: string): string =>
  `The arguments of "${tool}" cannot be read: ${problem} Send one JSON object.`;

export const invalidArgumentsMessage = (tool: string, issues: readonly Issue[]): string =>
  `The arguments of "${tool}" are invalid: ${issues.map((issue) => issue.message).join("; ")}.`;

export const cutOffMessage = (tool: string): string =>
  `The arguments of "${tool}" were cut off, so the call did not run. Send the complete call again, shorter if necessary.`;

export const maxExcerptLength = 80;

export const toExcerpt = (text: string): string => shorten(text, maxExcerptLength);

const cutOffFinishes: ReadonlySet<string> = new Set([
  "incomplete",
  "length",
  "model_length",
  "max_tokens",
  "max_output_tokens",
  "model_context_window_exceeded",
  "truncated",
  "content_filter",
  "insufficient_system_resource",
  "error",
  "cancelled",
  "canceled",
]);

export const isCutOff = (finish: unknown): boolean =>
  finish !== undefined && finish !== null && cutOffFinishes.has(String(finish).toLowerCase());
