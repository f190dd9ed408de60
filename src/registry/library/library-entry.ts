import type { ToolClass } from "../../tools/class-implementation.ts";
import { toTool } from "../../tools/decorator.ts";
import { type RunFunction, runImplementation } from "../../tools/run-implementation.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { AnyTool, Implementation } from "../../types/tool.ts";

/** An entry of a library: a tool, a class made with @Tool, an implementation or a function. */
export type LibraryEntry = AnyTool | ToolClass | Implementation | RunFunction;

/** Only a tool declares its input and output. */
export type LibraryCode = AnyTool | Implementation;

export const isTool = (value: unknown): value is AnyTool =>
  typeof value === "object" && value !== null && "spec" in value && "implementation" in value;

const isImplementation = (value: unknown): value is Implementation =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly bind?: unknown }).bind === "function";

export const toLibraryCode = (name: string, entry: unknown): LibraryCode => {
  const made = toTool(entry);
  if (made !== undefined) return made;
  if (typeof entry === "function") return runImplementation(entry as RunFunction);
  if (isTool(entry) || isImplementation(entry)) return entry;
  throw new ConfigurationError(
    "invalid_config",
    `The library's "${name}" is neither a tool, an implementation nor a function.`,
  );
};
