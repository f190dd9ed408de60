import { checkFields } from "../../json/check-fields.ts";
import type { Agent, ToolSearchOptions } from "../../words/agent.ts";
import { ConfigurationError } from "../../words/errors.ts";

export type ToolSearchSettings = Required<ToolSearchOptions>;

const usual: ToolSearchSettings = {
  always: [],
  maxCandidates: 5,
  minScore: 0.05,
  maxLoaded: 30,
  by: "haft",
};

/** What an agent says of its search, with what it leaves out; nothing where its model is shown everything. */
export const toolSearchOf = ({ toolSearch }: Pick<Agent, "toolSearch">): ToolSearchSettings | undefined => {
  if (toolSearch === undefined) return undefined;
  return toolSearch === true ? usual : { ...usual, ...toolSearch };
};

/** Throws over what makes no sense as an agent's `toolSearch`. */
export const checkToolSearch = (agent: string, given: unknown): void => {
  if (given === undefined || given === true) return;
  const what = `\`toolSearch\` of the agent "${agent}"`;
  const refuse = (field: string, takes: string): never => {
    throw new ConfigurationError("invalid_config", `${what} has \`${field}\`, which takes ${takes}.`);
  };
  if (typeof given !== "object" || given === null) {
    throw new ConfigurationError(
      "invalid_config",
      `${what} takes true or an object, such as { always: [] }.`,
    );
  }
  checkFields(what, given, Object.keys(usual));
  const { always, maxCandidates, minScore, maxLoaded, by } = { ...usual, ...given } as ToolSearchSettings;
  if (!Array.isArray(always) || !always.every((name) => typeof name === "string" && name !== "")) {
    refuse("always", "a list of the agent's tools by name");
  }
  if (!isCount(maxCandidates)) refuse("maxCandidates", "a whole number of at least 1");
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1)) {
    refuse("minScore", "a number from 0 to 1");
  }
  if (!isCount(maxLoaded)) refuse("maxLoaded", "a whole number of at least 1");
  if (by !== "haft" && by !== "provider") refuse("by", '"haft" or "provider"');
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;
