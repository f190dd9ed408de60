import * as Effect from "effect/Effect";
import { type SingleCallOptions, Tools } from "../pipeline/tools-service.ts";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import { type AnyToolError, ConfigurationError } from "../types/errors.ts";
import type { AnyTool } from "../types/tool.ts";
import type { TypesOf } from "./tool-types.ts";
import { tryTagged } from "./try-tagged.ts";

/** The name of a tool or of a class with `@Tool`; a text is a name already. */
export const calledToolName = (asked: string | ToolOrClass): string => {
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
export const call = <T extends ToolOrClass>(
  tool: T,
  input: TypesOf<T>["input"],
  options?: SingleCallOptions,
): Effect.Effect<TypesOf<T>["output"], AnyToolError, Tools> =>
  Effect.flatMap(
    tryTagged(() => calledToolName(tool)),
    (name) => Effect.flatMap(Tools, (tools) => tools.call(name, input, options)),
  );
