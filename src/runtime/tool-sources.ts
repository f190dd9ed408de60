import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Registry, toolRegistry } from "../registry/tool-registry.ts";
import { type Workspace, workspace } from "../registry/workspace.ts";
import type { SkillName } from "../sandbox/skills/skill-names.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { AnyToolError } from "../types/errors.ts";
import { Events } from "../types/event.ts";
import { Configuration } from "./configuration.ts";
import { type MissingServices, toTools } from "./haft-options.ts";
import { tryTagged } from "./run-in-runtime.ts";

/** Tools of the runtime, under their own names. */
export class InternalTools extends Context.Service<
  InternalTools,
  { readonly tools: readonly ToolOrClass[] }
>()("haft/InternalTools") {}

/** Tools of an organization, as `org/ns/tool`. They override internal tools of the same short name. */
export class OrgTools extends Context.Service<OrgTools, OrgSource>()("haft/OrgTools") {}

/** Tools of a project, as `ns/tool`. They override those of the organization. */
export class ProjectTools extends Context.Service<ProjectTools, { readonly workspace: Workspace }>()(
  "haft/ProjectTools",
) {}

interface OrgSource {
  readonly name: string;
  readonly workspace: Workspace;
}

/** Sources of the registry's tools. */
export type ToolSources = InternalTools | OrgTools | ProjectTools;

const emptyWorkspace = workspace().build();

/** Provides internal tools; use `Layer.effect(InternalTools, …)` to load them. */
export const internalToolsLayer = <const Tools extends readonly ToolOrClass[] = readonly []>(
  tools: Tools = [] as never,
): Layer.Layer<InternalTools, never, MissingServices<Tools, never>> =>
  Layer.succeed(InternalTools, { tools });

/** Provides an organization's tools; use `Layer.effect(OrgTools, …)` to load them. */
export const orgToolsLayer = <R = never>(
  tools: Workspace<R> = emptyWorkspace,
  name = "org",
): Layer.Layer<OrgTools, never, MissingServices<readonly [], never, Workspace<R>>> =>
  Layer.succeed(OrgTools, { name, workspace: tools });

/** Provides a project's tools; use `Layer.effect(ProjectTools, …)` to load them. */
export const projectToolsLayer = <R = never>(
  tools: Workspace<R> = emptyWorkspace,
): Layer.Layer<ProjectTools, never, MissingServices<readonly [], never, Workspace<R>>> =>
  Layer.succeed(ProjectTools, { workspace: tools });

/**
 * Merges the three sources into one registry. For equal short names, project overrides org, and org overrides
 * internal.
 */
export const mergedRegistryLayer: Layer.Layer<Registry, AnyToolError, Configuration | Events | ToolSources> =
  Layer.effect(
    Registry,
    Effect.gen(function* () {
      const config = yield* Configuration;
      const events = yield* Events;
      const internal = yield* InternalTools;
      const org = yield* OrgTools;
      const project = yield* ProjectTools;
      const merged = yield* tryTagged(() => {
        const all = toolRegistry({ ...config.registry, events });
        all.registerAll(toTools(internal.tools));
        all.registerWorkspace(org.workspace, { origin: "org", org: org.name });
        all.registerWorkspace(project.workspace, { origin: "project" });
        return all;
      });
      const [{ prepareRegistry: prepare }, { warnUnannotated }] = yield* Effect.promise(() =>
        Promise.all([import("./prepare-registry.ts"), import("./warn-unannotated.ts")]),
      );
      yield* tryTagged(() => prepare(merged));
      warnUnannotated(merged, events);
      return merged;
    }),
  );

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
