import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { CallContext } from "../types/call.ts";
import { SandboxError, ToolDefinitionError, ToolExecutionError, ToolTimeoutError } from "../types/errors.ts";
import type { Implementation, ToolSpec } from "../types/tool.ts";
import {
  defaultLimits,
  type EngineName,
  type Language,
  type ProgramEnding,
  type SandboxLimits,
} from "./sandbox.ts";
import { Sandboxes } from "./sandboxes.ts";

/** A tool whose implementation is source text. */
export interface CodeOptions {
  /** Language of the source. Unless set: `javascript`. */
  readonly language?: Language;
  /**
   * JavaScript and TypeScript: the body of an async function with the arguments as `input`. Python: the value
   * of the last line is the result.
   */
  readonly source: string;
  /** Sandbox engine. Unless set: the default engine of the language. */
  readonly engine?: EngineName;
  readonly limits?: Partial<SandboxLimits>;
}

const languages: readonly string[] = ["javascript", "typescript", "python"];

/** Implements a tool by untrusted code that runs in a sandbox and reaches only its input. */
export const code = (options: CodeOptions): Implementation<Sandboxes> => {
  const { language = "javascript", source, engine, limits = {} } = options;
  if (typeof source !== "string") throw invalidCodeError("needs a string as its `source`");
  if (!languages.includes(language))
    throw invalidCodeError(`needs one of these as its \`language\`: ${languages.join(", ")}`);
  return Object.freeze({
    _tag: "code",
    provesNotRun: true,
    bind:
      (spec: ToolSpec) =>
      (input: unknown, { idempotencyKey }: CallContext) =>
        Effect.gen(function* () {
          const sandboxes = yield* Sandboxes;
          const now = yield* Clock.currentTimeMillis;
          const program = { language, source, input, limits, now, seed: idempotencyKey };
          const { ending } = yield* sandboxes.run(program, engine);
          if (ending.kind === "value") return ending.value;
          return yield* Effect.fail(toError(ending, spec.name, limits));
        }),
  });
};

const toError = (
  ending: Exclude<ProgramEnding, { readonly kind: "value" }>,
  name: string,
  { wallMs = defaultLimits.wallMs }: Partial<SandboxLimits>,
): ToolExecutionError | ToolTimeoutError | SandboxError => {
  const { kind, message } = ending;
  if (kind === "error") {
    const at = ending.line === undefined ? "" : ` (line ${ending.line})`;
    return new ToolExecutionError("failed", `The tool "${name}" failed: ${ending.name}: ${message}${at}`);
  }
  if (kind === "stopped" && ending.limit === "time") {
    const text = `The code of the tool "${name}" did not finish within ${wallMs} ms.`;
    return new ToolTimeoutError("timed_out", text, { timeoutMs: wallMs });
  }
  return new SandboxError("sandbox_failed", `The code of the tool "${name}" was stopped. ${message}`);
};

const invalidCodeError = (why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `code() ${why}.`);
