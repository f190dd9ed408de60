import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import {
  defaultLimits,
  type EngineName,
  type Language,
  type ProgramResult,
  type SandboxLimits,
  type SandboxProgram,
} from "../sandbox.ts";
import { stoppedEnding } from "./program-ending.ts";
import { pathProblem } from "./scratch-folder.ts";

export interface PreparedProgram {
  readonly limits: SandboxLimits;
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** One line of JSON. */
  readonly order: string;
}

export type CheckedProgram =
  | (PreparedProgram & { readonly result?: undefined })
  | { readonly result: ProgramResult };

export const checkProgram = (
  engine: EngineName,
  languages: readonly Language[],
  program: SandboxProgram,
): Effect.Effect<CheckedProgram, SandboxError> => {
  const limits = { ...defaultLimits, ...program.limits };
  const { language, functions = [], files = {} } = program;
  if (!languages.includes(language))
    return failProgram(`The sandbox ${engine} runs ${languages.join(" and ")}, not ${language}.`);
  if (functions.length > 0)
    return failProgram(
      `A program in the sandbox ${engine} cannot call tools. Run code that calls tools in quickjs, as JavaScript or TypeScript.`,
    );
  for (const path of Object.keys(files)) {
    const why = pathProblem(path);
    if (why !== undefined) return failProgram(`A file of the program is refused: ${why}.`);
  }
  const [source, bytes] = [Buffer.byteLength(program.source), sizeOf(files)];
  if (source > limits.sourceBytes) return Effect.succeed(limitExceeded("source", limits));
  if (bytes > limits.fileBytes) return Effect.succeed(limitExceeded("files", limits));
  return Effect.map(startMessage(program, limits), (order) => ({ limits, files, order }));
};

const startMessage = (
  { language, source, input = null }: SandboxProgram,
  { resultBytes, logBytes }: SandboxLimits,
): Effect.Effect<string, SandboxError> =>
  Effect.try({
    try: () => JSON.stringify({ language, source, input, resultBytes, logBytes }),
    catch: () => programError("The program's input is not JSON."),
  });

const sizeOf = (files: Readonly<Record<string, Uint8Array>>): number =>
  Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);

const programError = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false });

const failProgram = (message: string): Effect.Effect<never, SandboxError> =>
  Effect.fail(programError(message));

const limitExceeded = (limit: "source" | "files", limits: SandboxLimits): CheckedProgram => ({
  result: {
    ending: stoppedEnding(limit, limits),
    logs: [],
    logsCut: false,
    files: {},
    usage: { wallMs: 0, cpuMs: 0, calls: 0 },
  },
});
