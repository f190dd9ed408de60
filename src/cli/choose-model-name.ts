import type { Terminal } from "./command.ts";
import { painter } from "./screen.ts";

/** Which variable holds the key of each provider that needs one. */
const keys: Readonly<Record<string, readonly string[]>> = {
  openai: ["OPENAI_API_KEY"],
  anthropic: ["ANTHROPIC_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
};

/**
 * The model that was asked for, or the agent's own. An agent whose provider has no key here is answered by the
 * offline planner, which is said; a model that was asked for by name is never replaced.
 */
export const chooseModelName = (
  asked: string | undefined,
  own: string | undefined,
  terminal: Terminal,
): string => {
  if (asked !== undefined) return asked;
  if (own === undefined) return tellOffline("The agent names no model", terminal);
  const needed = keys[own.split("/")[0]?.toLowerCase() ?? ""];
  if (needed === undefined || needed.some((name) => terminal.env[name])) return own;
  return tellOffline(`${needed[0]} is not set, so ${own} cannot be asked`, terminal);
};

const tellOffline = (why: string, terminal: Terminal): string => {
  terminal.error(painter(terminal).dim(`${why}: the offline planner answers in its place.\n`));
  return "offline";
};
