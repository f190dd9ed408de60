import type { HaftOptions, RequireAllServices } from "../../runtime/haft-options.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { OpenApiSource } from "../../tools/openapi/openapi-source.ts";
import type { ServeOptions } from "./serve-options.ts";

/** What a `haft.config.ts` holds: what a runtime is opened with, and how `haft serve` serves it. */
export interface HaftConfig<
  Tools extends readonly ToolOrClass[] = readonly ToolOrClass[],
  Provided = never,
  Env = unknown,
> extends HaftOptions<Tools, Provided, Env> {
  /** How `haft serve` serves the runtime. */
  readonly serve?: ServeOptions;
  /** OpenAPI documents whose operations are tools of every command. Unless set: those of `haft import openapi`. */
  readonly openapi?: readonly OpenApiSource[];
}

/** Types a configuration, and says at once which service a tool of it lacks. */
export const defineConfig = <
  const Tools extends readonly ToolOrClass[] = readonly [],
  Provided = never,
  Env = unknown,
>(
  config: HaftConfig<Tools, Provided, Env> & RequireAllServices<Tools, Provided>,
): HaftConfig<Tools, Provided, Env> => config;
