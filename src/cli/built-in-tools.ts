import { toLooks } from "../catalog/place.ts";
import { readConfig } from "../runtime/config.ts";
import { readConfigFile } from "../runtime/configuration.ts";
import type { HaftOptions } from "../runtime/options.ts";
import { toTools } from "../runtime/options.ts";
import type { SkillName } from "../skills/skill-names.ts";

/**
 * The built-in tools of a command: those that the configuration names in `skills`, else those of `config.builtinTools`
 * whose names no tool of the user's has or looks like.
 */
export const builtInTools = ({
  skills,
  config,
  tools = [],
}: Pick<HaftOptions, "skills" | "config" | "tools">): readonly SkillName[] => {
  if (skills !== undefined) return skills;
  const { builtinTools } = typeof config === "string" ? readConfigFile(config) : readConfig(config);
  const taken = new Set(toTools(tools).map(({ spec }) => toLooks(spec.name)));
  return builtinTools.filter((name) => !taken.has(toLooks(name)));
};
