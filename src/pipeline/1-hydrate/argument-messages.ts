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
