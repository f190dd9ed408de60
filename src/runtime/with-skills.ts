import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Registry } from "../catalog/registry.ts";
import { lookAhead } from "../dialects/schema/needs.ts";
import type { SkillName } from "../skills/skill-names.ts";
import type { AnyToolError } from "../words/errors.ts";
import { Configuration } from "./configuration.ts";
import { orTagged } from "./or-tagged.ts";

/**
 * Adds built-in tools to a registry. Their room is loaded only where one is named. A name that is taken is refused;
 * where names may be taken over, whoever has it keeps it, because a built-in tool is nobody's choice over one's own.
 */
export const withSkills = (
  names: readonly SkillName[] = [],
): Layer.Layer<Registry, AnyToolError, Registry | Configuration> =>
  Layer.effect(
    Registry,
    Effect.gen(function* () {
      const registry = yield* Registry;
      if (names.length === 0) return registry;
      const { skills: settings, security, registry: rules } = yield* Configuration;
      const { skills } = yield* Effect.promise(() => import("../skills/skills.ts"));
      return yield* orTagged(() => {
        const tools = skills(names, { ...settings, blockedCommands: security.blockedCommands });
        const added = tools.filter(
          ({ spec }) =>
            !(rules.allowDuplicateNames && registry.explain(spec.name).candidates.includes(spec.name)),
        );
        registry.registerAll(added);
        lookAhead(added);
        return registry;
      });
    }),
  );
