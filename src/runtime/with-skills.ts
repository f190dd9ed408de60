import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Registry } from "../registry/tool-registry.ts";
import type { SkillName } from "../sandbox/skills/skill-names.ts";
import type { AnyToolError } from "../types/errors.ts";
import { Configuration } from "./configuration.ts";
import { tryTagged } from "./try-tagged.ts";

/**
 * Registers the built-in tools of `skills`, else of `config.builtinTools`. Their module is loaded only if one
 * is named. A taken name throws; with `allowDuplicateNames`, the existing tool stays.
 */
export const withSkills = (
  skillsOption?: readonly SkillName[],
): Layer.Layer<Registry, AnyToolError, Registry | Configuration> =>
  Layer.effect(
    Registry,
    Effect.gen(function* () {
      const registry = yield* Registry;
      const { skills: settings, security, registry: rules, builtinTools } = yield* Configuration;
      const names = skillsOption ?? builtinTools;
      if (names.length === 0) return registry;
      const { builtInTools: skills } = yield* Effect.promise(
        () => import("../sandbox/skills/built-in-tools.ts"),
      );
      return yield* tryTagged(() => {
        const tools = skills(names, { ...settings, blockedCommands: security.blockedCommands });
        const added = tools.filter(
          ({ spec }) =>
            !(rules.allowDuplicateNames && registry.explain(spec.name).candidates.includes(spec.name)),
        );
        registry.registerAll(added);
        return registry;
      });
    }),
  );
