import * as Effect from "effect/Effect";
import { SandboxError } from "../../words/errors.ts";
import {
  defaultLimits,
  type EngineName,
  type Language,
  type Program,
  type ProgramResult,
  type SandboxLimits,
} from "../sandbox.ts";
import { stoppedBy } from "./program-ending.ts";
import { refusedPath } from "./scratch-folder.ts";

/** A program that may be started. */
export interface ReadyProgram {
  readonly limits: SandboxLimits;
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** What our part of the guest is told, as one line of JSON. */
  readonly order: string;
}

/** A program, or what came of it already. */
export type CheckedProgram =
  | (ReadyProgram & { readonly result?: undefined })
  | { readonly result: ProgramResult };

/** What engines in a process of their own cannot run is refused before one is started. */
export const checkProgram = (
  engine: EngineName,
  languages: readonly Language[],
  program: Program,
): Effect.Effect<CheckedProgram, SandboxError> => {
  const limits = { ...defaultLimits, ...program.limits };
  const { language, functions = [], files = {} } = program;
  if (!languages.includes(language))
    return refuse(`The sandbox ${engine} runs ${languages.join(" and ")}, not ${language}.`);
  if (functions.length > 0)
    return refuse(
      `A program in the sandbox ${engine} can call no tools. Code that calls tools runs in quickjs, as JavaScript or TypeScript.`,
    );
  for (const path of Object.keys(files)) {
    const why = refusedPath(path);
    if (why !== undefined) return refuse(`A file of the program is refused: ${why}.`);
  }
  const [source, bytes] = [Buffer.byteLength(program.source), sizeOf(files)];
  if (source > limits.sourceBytes) return Effect.succeed(over("source", limits));
  if (bytes > limits.fileBytes) return Effect.succeed(over("files", limits));
  return Effect.map(orderOf(program, limits), (order) => ({ limits, files, order }));
};

const orderOf = (
  { language, source, input = null }: Program,
  { resultBytes, logBytes }: SandboxLimits,
): Effect.Effect<string, SandboxError> =>
  Effect.try({
    try: () => JSON.stringify({ language, source, input, resultBytes, logBytes }),
    catch: () => refusal("The program's input is not JSON."),
  });

const sizeOf = (files: Readonly<Record<string, Uint8Array>>): number =>
  Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);

const refusal = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false });

const refuse = (message: string): Effect.Effect<never, SandboxError> => Effect.fail(refusal(message));

const over = (limit: "source" | "files", limits: SandboxLimits): CheckedProgram => ({
  result: {
    ending: stoppedBy(limit, limits),
    logs: [],
    logsCut: false,
    files: {},
    usage: { wallMs: 0, cpuMs: 0, calls: 0 },
  },
});
