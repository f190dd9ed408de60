import type { SandboxLimits, SandboxLogLine } from "../sandbox.ts";
import type { DoneMessage, GuestEnding, WorkerMessage } from "./worker-messages.ts";

export interface MessageBounds {
  readonly limits: SandboxLimits;
  readonly functions: number;
  /** Number of calls so far. */
  readonly calls: number;
  /** Number of answers so far. */
  readonly answers: number;
}

/**
 * Rebuilds a message, because code that escaped from the engine could send anything. Undefined if it is
 * invalid.
 */
export const readWorkerMessage = (message: unknown, expected: MessageBounds): WorkerMessage | undefined => {
  if (!isRecord(message)) return undefined;
  switch (message.kind) {
    case "call":
      return readCall(message, expected);
    case "idle": {
      const { taken } = message;
      const printed = readPrinted(message, expected);
      const isKnown = isCount(taken) && taken <= expected.answers;
      return isKnown && printed !== undefined ? { kind: "idle", taken, ...printed } : undefined;
    }
    case "done": {
      const ending = readEnding(message.ending);
      const printed = readPrinted(message, expected);
      if (ending === undefined || printed === undefined) return undefined;
      return { kind: "done", ending, isSound: message.isSound === true, ...printed };
    }
    default:
      return undefined;
  }
};

type Fields = Readonly<Record<string, unknown>>;

const readCall = ({ number, name, input }: Fields, { limits, functions, calls }: MessageBounds) => {
  if (number !== calls || calls >= limits.calls) return undefined;
  if (!isCount(name) || name >= functions) return undefined;
  if (typeof input !== "string" || input.length > limits.callBytes) return undefined;
  return { kind: "call", number: calls, name, input } as const;
};

const readPrinted = ({ logs, logsCut, cpuMs }: Fields, { limits }: MessageBounds) => {
  if (!Array.isArray(logs) || logs.length > limits.logBytes || typeof cpuMs !== "number") return undefined;
  const lines = logs.map(readLine);
  if (!lines.every((line) => line !== undefined)) return undefined;
  return { logs: lines, logsCut: logsCut === true, cpuMs };
};

const readLine = (line: unknown): SandboxLogLine | undefined => {
  if (!isRecord(line)) return undefined;
  const { level, text } = line;
  const isLevel = level === "log" || level === "warn" || level === "error";
  return isLevel && typeof text === "string" ? { level, text } : undefined;
};

/** Limits that the guest detects. */
const guestLimits: ReadonlySet<unknown> = new Set(["cpu", "memory", "result", "calls", "call"]);

const readEnding = (ending: unknown): GuestEnding | undefined => {
  if (!isRecord(ending)) return undefined;
  const { kind, text, name, message, limit, line, column, stack } = ending;
  if (kind === "ended") return { kind };
  if (kind === "value") return typeof text === "string" ? { kind, text } : undefined;
  if (typeof message !== "string") return undefined;
  if (kind === "lost") return { kind, message };
  if (kind === "stopped") {
    return guestLimits.has(limit) ? ({ kind, limit, message } as DoneMessage["ending"]) : undefined;
  }
  if (kind !== "error" || typeof name !== "string") return undefined;
  return {
    kind,
    name,
    message,
    ...(isCount(line) ? { line } : {}),
    ...(isCount(column) ? { column } : {}),
    ...(typeof stack === "string" ? { stack } : {}),
  };
};

const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
