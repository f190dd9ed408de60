import * as Effect from "effect/Effect";
import { isObject } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { SandboxError } from "../../types/errors.ts";
import type { EngineName, ProgramEnding, ProgramResult, SandboxLimits, SandboxLogLine } from "../sandbox.ts";
import { endingOfFrame, endingOfProcess, type PreparedProgram, stoppedEnding } from "./check-program.ts";
import { BoundedLogs, type GuestFrame, type GuestProcess } from "./guest-process.ts";
import { readScratchFiles, writeScratchFiles } from "./scratch-folder.ts";
import { type ChildEnd, type LimitWatch, type WatchedLimits, watchLimits } from "./start-child.ts";

/** Does not count as time of the program. */
const readyTimeoutMs = 60_000;
/** What an engine may store besides the program's files. */
const engineBytes = 1024 * 1024;

export const runGuest = (
  engine: EngineName,
  guest: GuestProcess,
  { limits, files, order }: PreparedProgram,
): Effect.Effect<ProgramResult, SandboxError> =>
  Effect.callback((resume) => {
    const logs = new BoundedLogs(limits.logBytes);
    const stderrLines: string[] = [];
    let watch: LimitWatch | undefined;
    let usage = { wallMs: 0, cpuMs: 0 };
    let ending: ProgramEnding | undefined;
    const finish = (how: ProgramEnding, isGraceful: boolean): void => {
      if (ending !== undefined) return;
      ending = how;
      usage = watch?.usage() ?? usage;
      watch?.end();
      if (isGraceful) guest.child.stop();
      else guest.child.kill();
    };
    const notReady = setTimeout(() => guest.child.kill(), readyTimeoutMs);
    guest.listen({
      onReady: () => {
        clearTimeout(notReady);
        try {
          writeScratchFiles(guest.folder, files);
        } catch (cause) {
          // Such as a full disk. Without a watch the program counts as not started.
          stderrLines.push(`Its files cannot be written: ${(cause as Error).message}`);
          return guest.child.kill();
        }
        watch = watchLimits(guest.child.pid as number, toWatchedLimits(limits, guest.root), (limit) =>
          finish(stoppedEnding(limit === "processes" ? "memory" : limit, limits), true),
        );
        guest.child.write(`${order}\n`);
        guest.child.endInput();
      },
      onFrame: (frame) => {
        if (frame.kind === "log") addLog(logs, frame);
        else finish(endingOfFrame(frame, limits), false);
      },
      onText: (text, isError) => {
        if (isError && stderrLines.length < 50) stderrLines.push(text);
        logs.add(isError ? "error" : "log", text, isError);
      },
      onEnd: (end) => {
        clearTimeout(notReady);
        usage = ending === undefined ? (watch?.usage() ?? usage) : usage;
        watch?.end();
        if (watch === undefined) return resume(Effect.fail(notStartedError(engine, end, stderrLines)));
        const how = ending ?? endingOfProcess(end, stderrLines.join("\n"), limits);
        const isBroken = ending === undefined;
        const left = readScratchFiles(guest.folder, limits.fileBytes);
        resume(
          Effect.succeed({
            ending: left.ok || how.kind !== "value" ? how : stoppedEnding("files", limits),
            logs: logs.lines(!isBroken),
            logsCut: logs.isCut,
            files: left.ok ? left.files : {},
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

const toWatchedLimits = (
  { wallMs, cpuMs, memoryBytes, fileBytes }: SandboxLimits,
  root: string,
): WatchedLimits => ({
  wallMs,
  cpuMs,
  memoryBytes,
  processes: 64,
  folder: { path: root, mostBytes: fileBytes + engineBytes },
});

const levels: ReadonlySet<unknown> = new Set(["log", "warn", "error"]);

const addLog = (logs: BoundedLogs, { payload, isTooLong }: GuestFrame): void => {
  const reading = readJson(payload, { maxLength: payload.length });
  if (isTooLong || !reading.ok || !isObject(reading.value)) {
    logs.isCut = true;
    return;
  }
  const { level, text, isCut } = reading.value;
  if (typeof text === "string" && levels.has(level)) logs.add(level as SandboxLogLine["level"], text);
  if (isCut === true) logs.isCut = true;
};

const notStartedError = (
  engine: EngineName,
  { code, signal, problem }: ChildEnd,
  said: readonly string[],
): SandboxError =>
  new SandboxError(
    "sandbox_failed",
    `The sandbox ${engine} cannot be started here (${problem ?? signal ?? `code ${code}`}). Run haft doctor to see what is missing.`,
    { ran: false, ...(said.length === 0 ? {} : { detail: said.join("\n").slice(0, 2_000) }) },
  );
