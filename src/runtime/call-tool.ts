import * as Effect from "effect/Effect";
import { type SingleCallOptions, Tools } from "../pipeline/tools-service.ts";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import { type AnyToolError, ConfigurationError } from "../types/errors.ts";
import type { AnyTool } from "../types/tool.ts";
import type { TypesOf } from "./tool-types.ts";
import { tryTagged } from "./try-tagged.ts";

export const calledToolName = (asked: string | ToolOrClass): string => {
  if (typeof asked === "string") return asked;
  const name = (toTool(asked) ?? (asked as Partial<AnyTool> | undefined))?.spec?.name;
  if (typeof name === "string") return name;
  throw new ConfigurationError(
    "invalid_config",
    "call requires the name of a tool, a tool, or a class with @Tool.",
  );
};

/**
 * Calls a tool by its definition, with its types. The tool registered under that name runs; an unregistered
 * name fails with ToolNotFoundError.
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
