import { shorten } from "../../text/cut-text.ts";
import type { Issue } from "../../words/json.ts";

/** What a model is told of arguments that cannot be used. From each it can correct itself. */
export const unreadableArguments = (tool: string, problem: string): string =>
  `The arguments of "${tool}" cannot be read: ${problem} Send one JSON object.`;

export const invalidArguments = (tool: string, issues: readonly Issue[]): string =>
  `The arguments of "${tool}" are invalid: ${issues.map((issue) => issue.message).join("; ")}.`;

export const cutOff = (tool: string): string =>
  `The arguments of "${tool}" were cut off before their end, so nothing was run. Send the whole call again, shorter if need be.`;

export const longestText = 80;

/** Enough of a text to recognize it by. */
export const cutText = (text: string): string => shorten(text, longestText);
