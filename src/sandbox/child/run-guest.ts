import * as Effect from "effect/Effect";
import { isObject } from "../../json/is-object.ts";
import { readJson } from "../../json/read-json.ts";
import { SandboxError } from "../../words/errors.ts";
import type {
  EngineName,
  LogLine,
  Program,
  ProgramEnding,
  ProgramResult,
  SandboxLimits,
} from "../sandbox.ts";
import type { Guest } from "./guest.ts";
import { type Frame, KeptLogs } from "./guest-wire.ts";
import { endingOfFrame, endingOfProcess, stoppedBy } from "./program-ending.ts";
import { leftFiles, putFiles } from "./scratch-folder.ts";
import type { ChildEnd } from "./start-child.ts";
import { type LimitWatch, type WatchedLimits, watchLimits } from "./watch-limits.ts";

/** How long an engine may take to be ready. It is no time of the program's. */
const readyMs = 60_000;

/** Gives a guest its one program, and waits until it is over in one way or another and its process is gone. */
export const runGuest = (
  engine: EngineName,
  guest: Guest,
  program: Program,
  limits: SandboxLimits,
): Effect.Effect<ProgramResult, SandboxError> =>
  Effect.callback((resume) => {
    const logs = new KeptLogs(limits.logBytes);
    const last: string[] = [];
    let watch: LimitWatch | undefined;
    let usage = { wallMs: 0, cpuMs: 0 };
    let ending: ProgramEnding | undefined;
    const conclude = (how: ProgramEnding, isAsked: boolean): void => {
      if (ending !== undefined) return;
      ending = how;
      usage = watch?.usage() ?? usage;
      watch?.end();
      if (isAsked) guest.child.stop();
      else guest.child.kill();
    };
    const notReady = setTimeout(() => guest.child.kill(), readyMs);
    guest.listen({
      onReady: () => {
        clearTimeout(notReady);
        putFiles(guest.folder, program.files ?? {});
        watch = watchLimits(guest.child.pid as number, watched(limits, guest.folder), (limit) =>
          conclude(stoppedBy(limit === "processes" ? "memory" : limit, limits), true),
        );
        guest.child.write(`${JSON.stringify(orderOf(program, limits))}\n`);
        guest.child.endInput();
      },
      onFrame: (frame) => {
        if (frame.kind === "log") addLog(logs, frame);
        else conclude(endingOfFrame(frame, limits), false);
      },
      onText: (text, isError) => {
        if (isError && last.length < 50) last.push(text);
        logs.add(isError ? "error" : "log", text, isError);
      },
      onEnd: (end) => {
        clearTimeout(notReady);
        usage = ending === undefined ? (watch?.usage() ?? usage) : usage;
        watch?.end();
        if (watch === undefined) return resume(Effect.fail(notStarted(engine, end, last)));
        const how = ending ?? endingOfProcess(end, last.join("\n"), limits);
        const isBroken = ending === undefined;
        const files = leftFiles(guest.folder, limits.fileBytes);
        resume(
          Effect.succeed({
            ending: files.ok || how.kind !== "value" ? how : stoppedBy("files", limits),
            logs: logs.lines(!isBroken),
            logsCut: logs.isCut,
            files: files.ok ? files.files : {},
            usage: { ...usage, calls: 0 },
          }),
        );
      },
    });
    return Effect.sync(() => {
      clearTimeout(notReady);
      watch?.end();
      guest.child.kill();
    });
  });

const watched = (
  { wallMs, cpuMs, memoryBytes, fileBytes }: SandboxLimits,
  folder: string,
): WatchedLimits => ({
  wallMs,
  cpuMs,
  memoryBytes,
  processes: 64,
  folder: { path: folder, mostBytes: fileBytes },
});

const orderOf = ({ language, source, input = null }: Program, { resultBytes, logBytes }: SandboxLimits) => ({
  language,
  source,
  input,
  resultBytes,
  logBytes,
});

const levels: ReadonlySet<unknown> = new Set(["log", "warn", "error"]);

const addLog = (logs: KeptLogs, { payload, isTooLong }: Frame): void => {
  const reading = readJson(payload, { maxLength: payload.length });
  if (isTooLong || !reading.ok || !isObject(reading.value)) {
    logs.isCut = true;
    return;
  }
  const { level, text, isCut } = reading.value;
  if (typeof text === "string" && levels.has(level)) logs.add(level as LogLine["level"], text);
  if (isCut === true) logs.isCut = true;
};

const notStarted = (
  engine: EngineName,
  { code, signal, problem }: ChildEnd,
  said: readonly string[],
): SandboxError =>
  new SandboxError(
    "sandbox_failed",
    `The sandbox ${engine} cannot be started here (${problem ?? signal ?? `code ${code}`}). haft doctor says what is missing.`,
    { ran: false, ...(said.length === 0 ? {} : { detail: said.join("\n").slice(0, 2_000) }) },
  );
