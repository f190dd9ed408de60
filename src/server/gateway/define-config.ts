import type { HaftOptions, RequireAllServices } from "../../runtime/haft-options.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { OpenApiSource } from "../../tools/openapi/read-document.ts";
import type { ServeOptions } from "./serve-options.ts";

/** Contents of a `haft.config.ts`: options of the runtime and of `haft serve`. */
export interface HaftConfig<
  Tools extends readonly ToolOrClass[] = readonly ToolOrClass[],
  Provided = never,
  Env = unknown,
> extends HaftOptions<Tools, Provided, Env> {
  /** Options of `haft serve`. */
  readonly serve?: ServeOptions;
  /** OpenAPI documents whose operations become tools. Default: those of `haft import openapi`. */
  readonly openapi?: readonly OpenApiSource[];
}

/** Types a configuration and checks that the services of its tools are provided. */
export const defineConfig = <
  const Tools extends readonly ToolOrClass[] = readonly [],
  Provided = never,
  Env = unknown,
>(
  config: HaftConfig<Tools, Provided, Env> & RequireAllServices<Tools, Provided>,
): HaftConfig<Tools, Provided, Env> => config;
