import * as Effect from "effect/Effect";
import { isObject } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { headOf } from "../../base/text/cut-text.ts";
import { SandboxError } from "../../types/errors.ts";
import {
  defaultLimits,
  type EngineName,
  type Language,
  type ProgramEnding,
  type ProgramResult,
  type SandboxLimitName,
  type SandboxLimits,
  type SandboxProgram,
} from "../sandbox.ts";
import type { GuestFrame } from "./guest-process.ts";
import { pathProblem } from "./scratch-folder.ts";
import type { ChildEnd } from "./start-child.ts";

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

const maxValueDepth = 500;

/** Every field may be forged. */
export const endingOfFrame = (
  { kind, payload, isTooLong }: GuestFrame,
  limits: SandboxLimits,
): ProgramEnding => {
  if (isTooLong || kind === "long" || (kind === "value" && Buffer.byteLength(payload) > limits.resultBytes))
    return stoppedEnding("result", limits);
  if (kind === "memory") return stoppedEnding("memory", limits);
  if (kind === "flood")
    return {
      kind: "lost",
      message: "The program was stopped because it wrote far more output than the limit.",
    };
  const reading = readJson(payload, { maxLength: payload.length, maxDepth: maxValueDepth });
  if (kind === "value")
    return reading.ok
      ? { kind, value: reading.value }
      : errorEnding({
          name: "TypeError",
          message: `The value cannot be converted to JSON: ${reading.problem.message}`,
        });
  if (kind === "error" && reading.ok && isObject(reading.value)) return errorEnding(reading.value);
  return { kind: "lost", message: "The engine sent an invalid message." };
};

const maxMessageLength = 10_000;
const textOf = (value: unknown, otherwise: string): string =>
  typeof value === "string" ? headOf(value, maxMessageLength) : otherwise;
const positionOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;

const errorEnding = (info: Readonly<Record<string, unknown>>): ProgramEnding => ({
  kind: "error",
  name: textOf(info.name, "Error").slice(0, 200),
  message: textOf(info.message, ""),
  line: positionOf(info.line),
  column: positionOf(info.column),
  ...(typeof info.stack === "string" ? { stack: textOf(info.stack, "") } : {}),
});

const messageByLimit: Readonly<Record<SandboxLimitName, (limits: SandboxLimits) => string>> = {
  time: ({ wallMs }) => `The program took longer than ${wallMs} ms.`,
  cpu: ({ cpuMs }) => `The program used more than ${cpuMs} ms of CPU time.`,
  memory: ({ memoryBytes }) => `The program used more than ${memoryBytes} bytes of memory.`,
  source: ({ sourceBytes }) => `The source is longer than ${sourceBytes} bytes.`,
  result: ({ resultBytes }) => `The value is longer than ${resultBytes} bytes as JSON.`,
  calls: ({ calls }) => `The program made more than ${calls} calls.`,
  call: ({ callBytes }) => `A call of the program is longer than ${callBytes} bytes.`,
  files: ({ fileBytes }) =>
    `The program left more than ${fileBytes} bytes or more than 1000 files in its folder.`,
};

export const stoppedEnding = (limit: SandboxLimitName, limits: SandboxLimits): ProgramEnding => ({
  kind: "stopped",
  limit,
  message: messageByLimit[limit](limits),
});

/** A program that prints one of these affects only its own result. */
const outOfMemory = /out of memory|memory allocation of \d+|Cannot allocate memory|OOM|virtual memory/i;
/** bubblewrap reports a signal as 128 plus its number. */
const cpuKillCodes: ReadonlySet<unknown> = new Set(["SIGXCPU", 152]);
const fileKillCodes: ReadonlySet<unknown> = new Set(["SIGXFSZ", 153]);

export const endingOfProcess = (
  { code, signal }: ChildEnd,
  said: string,
  limits: SandboxLimits,
): ProgramEnding => {
  if (cpuKillCodes.has(signal ?? code)) return stoppedEnding("cpu", limits);
  if (fileKillCodes.has(signal ?? code)) return stoppedEnding("files", limits);
  if (outOfMemory.test(said)) return stoppedEnding("memory", limits);
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  return { kind: "lost", message: `The process of the program ${how} before it returned a value.` };
};
