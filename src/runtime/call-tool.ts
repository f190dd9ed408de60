import * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import {
  type ResumeOptions,
  type SingleCallOptions,
  Tools,
  type TurnOptions,
} from "../pipeline/tools-service.ts";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import { type AnyToolError, ConfigurationError, ToolError } from "../types/errors.ts";
import type { RepairMode } from "../types/hydration.ts";
import type { AnyTool } from "../types/tool.ts";
import { checkPrincipal } from "./read-principal.ts";
import { tryTagged } from "./run-in-runtime.ts";
import type { TypesOf } from "./tool-types.ts";

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

const commonCallFields = [
  "principal",
  "layers",
  "env",
  "correlationId",
  "repair",
  "repairer",
  "parent",
  "taints",
] as const;

const fieldsByMethod = {
  call: [...commonCallFields, "idempotencyKey", "signal"],
  execute: [...commonCallFields, "idempotencyKey"],
  turn: [...commonCallFields, "maxConcurrency", "join", "signal", "offer", "scope"],
  hydrate: [...commonCallFields, "maxConcurrency", "join", "signal", "offer"],
  resume: [...commonCallFields, "by"],
} satisfies Record<string, readonly (keyof SingleCallOptions | keyof TurnOptions | keyof ResumeOptions)[]>;

/** Must be valid in an HTTP header. */
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Rejects unknown options, which would be ignored silently. */
export const checkCallOptions = (method: keyof typeof fieldsByMethod, options: SingleCallOptions): void => {
  for (const name in options) {
    if (!(fieldsByMethod[method] as readonly string[]).includes(name))
      checkFields(`haft.${method}`, options, fieldsByMethod[method]);
  }
  const { idempotencyKey, principal } = options;
  if (principal !== undefined) checkPrincipal(principal);
  if (
    idempotencyKey !== undefined &&
    (typeof idempotencyKey !== "string" || !idempotencyKeyPattern.test(idempotencyKey))
  ) {
    throw new ConfigurationError(
      "invalid_config",
      "An idempotencyKey must have 1 to 255 visible ASCII characters without spaces, such as an order number.",
    );
  }
};

export const callOptionsError = (
  method: keyof typeof fieldsByMethod,
  options: SingleCallOptions,
): ToolError | undefined => {
  try {
    checkCallOptions(method, options);
    return undefined;
  } catch (error) {
    if (ToolError.is(error)) return error;
    const why = error instanceof Error ? error.message : String(error);
    return new ConfigurationError("invalid_config", `The options of haft.${method} cannot be read: ${why}`);
  }
};

export const turnOptionsProblem = (
  method: "turn" | "hydrate",
  calls: unknown,
  options: TurnOptions,
): string | undefined => {
  const wrong = callOptionsError(method, options);
  if (wrong !== undefined) return wrong.message;
  const { maxConcurrency, join, signal, repair } = options;
  if (!Array.isArray(calls)) return `haft.${method} requires a list of calls: [{ id, tool, input }].`;
  if (repair !== undefined && !repairModes.has(repair))
    return 'repair must be "off", "deterministic" or "model".';
  if (maxConcurrency !== undefined && !(maxConcurrency >= 1)) return "maxConcurrency must be at least 1.";
  if (join !== undefined && join !== "all" && join !== "fail-fast")
    return 'join must be "all" or "fail-fast".';
  return signal === undefined || signal instanceof AbortSignal ? undefined : "signal must be an AbortSignal.";
};

const repairModes: ReadonlySet<string> = new Set<RepairMode>(["off", "deterministic", "model"]);
