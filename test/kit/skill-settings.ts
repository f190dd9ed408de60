import { readConfig } from "../../src/runtime/config.ts";
import type { SkillSettings } from "../../src/sandbox/skills/skill-settings.ts";

type PartialSettings = { readonly [Part in keyof SkillSettings]?: Partial<SkillSettings[Part]> };

/** The default settings, which allow only reading in this folder, with the changes of a test. */
export const skillSettings = (parts: PartialSettings = {}): SkillSettings => {
  const { skills, security } = readConfig(undefined);
  const all = { ...skills, blockedCommands: security.blockedCommands };
  const changed = Object.entries(parts).map(([name, part]) => [
    name,
    Array.isArray(part) ? part : { ...all[name as keyof SkillSettings], ...part },
  ]);
  return { ...all, ...Object.fromEntries(changed) };
};
