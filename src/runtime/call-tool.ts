import * as Effect from "effect/Effect";
import { type OneCallOptions, Tools } from "../call/tools-service.ts";
import { type Toolish, toTool } from "../tool/decorator.ts";
import { type AnyToolError, ConfigurationError } from "../words/errors.ts";
import type { AnyTool } from "../words/tool.ts";
import { orTagged } from "./or-tagged.ts";
import type { TypesOf } from "./tool-types.ts";

/** The name of a tool or of a class with `@Tool`; a text is a name already. */
export const nameOf = (asked: string | Toolish): string => {
  if (typeof asked === "string") return asked;
  const name = (toTool(asked) ?? (asked as Partial<AnyTool> | undefined))?.spec?.name;
  if (typeof name === "string") return name;
  throw new ConfigurationError(
    "invalid_config",
    "call takes the name of a tool, a tool, or a class with @Tool.",
  );
};

/**
 * Calls a tool under its name, typed by it. Whoever overrides the name in the runtime answers; one that the runtime does
 * not have fails with ToolNotFoundError.
 */
export const call = <T extends Toolish>(
  tool: T,
  input: TypesOf<T>["input"],
  options?: OneCallOptions,
): Effect.Effect<TypesOf<T>["output"], AnyToolError, Tools> =>
  Effect.flatMap(
    orTagged(() => nameOf(tool)),
    (name) => Effect.flatMap(Tools, (tools) => tools.call(name, input, options)),
  );
