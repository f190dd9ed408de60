import { isObject } from "../../json/is-object.ts";
import { readJson } from "../../json/read-json.ts";
import { headOf } from "../../text/cut-text.ts";
import type { LimitName, ProgramEnding, SandboxLimits } from "../sandbox.ts";
import type { Frame } from "./guest-wire.ts";
import type { ChildEnd } from "./start-child.ts";

const deepestValue = 500;

/** What our part of a guest said at the end. Every word may be forged, so each is looked at. */
export const endingOfFrame = ({ kind, payload, isTooLong }: Frame, limits: SandboxLimits): ProgramEnding => {
  if (isTooLong || kind === "long" || (kind === "value" && Buffer.byteLength(payload) > limits.resultBytes))
    return stoppedBy("result", limits);
  if (kind === "memory") return stoppedBy("memory", limits);
  if (kind === "flood")
    return { kind: "lost", message: "The program wrote far more than is kept of it, and was ended." };
  const reading = readJson(payload, { maxLength: payload.length, maxDepth: deepestValue });
  if (kind === "value")
    return reading.ok
      ? { kind, value: reading.value }
      : failed({ name: "TypeError", message: `The value cannot be JSON here: ${reading.problem.message}` });
  if (kind === "error" && reading.ok && isObject(reading.value)) return failed(reading.value);
  return { kind: "lost", message: "The engine said something that nobody understands." };
};

const mostText = 10_000;
const textOf = (value: unknown, otherwise: string): string =>
  typeof value === "string" ? headOf(value, mostText) : otherwise;
const placeOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;

const failed = (told: Readonly<Record<string, unknown>>): ProgramEnding => ({
  kind: "error",
  name: textOf(told.name, "Error").slice(0, 200),
  message: textOf(told.message, ""),
  line: placeOf(told.line),
  column: placeOf(told.column),
  ...(typeof told.stack === "string" ? { stack: textOf(told.stack, "") } : {}),
});

const sentences: Readonly<Record<LimitName, (limits: SandboxLimits) => string>> = {
  time: ({ wallMs }) => `The program took longer than ${wallMs} ms.`,
  cpu: ({ cpuMs }) => `The program computed for more than ${cpuMs} ms.`,
  memory: ({ memoryBytes }) => `The program used more memory than ${memoryBytes} bytes.`,
  source: ({ sourceBytes }) => `The source is longer than ${sourceBytes} bytes.`,
  result: ({ resultBytes }) => `The value is longer than ${resultBytes} bytes as JSON.`,
  calls: ({ calls }) => `The program made more than ${calls} calls.`,
  call: ({ callBytes }) => `A call of the program is longer than ${callBytes} bytes.`,
  files: ({ fileBytes }) =>
    `The program left more than ${fileBytes} bytes, or more than 1000 files, in its folder.`,
};

export const stoppedBy = (limit: LimitName, limits: SandboxLimits): ProgramEnding => ({
  kind: "stopped",
  limit,
  message: sentences[limit](limits),
});

/** How the engines complain when the system refuses them memory. A program that pretends to have run out of it misleads itself only. */
const outOfMemory = /out of memory|memory allocation of \d+|Cannot allocate memory|OOM|virtual memory/i;
/** A process that was ended inside bubblewrap is told by a code: 128 and the number of the signal. */
const killedForCpu: ReadonlySet<unknown> = new Set(["SIGXCPU", 152]);
const killedForFile: ReadonlySet<unknown> = new Set(["SIGXFSZ", 153]);

/** Of a process that ended before it said anything. */
export const endingOfProcess = (
  { code, signal }: ChildEnd,
  said: string,
  limits: SandboxLimits,
): ProgramEnding => {
  if (killedForCpu.has(signal ?? code)) return stoppedBy("cpu", limits);
  if (killedForFile.has(signal ?? code)) return stoppedBy("files", limits);
  if (outOfMemory.test(said)) return stoppedBy("memory", limits);
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  return { kind: "lost", message: `The process of the program ${how} before there was a value.` };
};
