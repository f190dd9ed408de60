import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { type GuestFrame, GuestFrameReader } from "./guest-frame-reader.ts";
import { makeScratchFolder, removeScratchFolder } from "./scratch-folder.ts";
import { type ChildEnd, type ChildHandle, type ChildStart, startChild } from "./start-child.ts";

export interface GuestProcess {
  /** The program's own folder. */
  readonly folder: string;
  /** Hidden from the program. */
  readonly root: string;
  readonly child: ChildHandle;
  readonly isOver: () => boolean;
  /** Buffers events until the listener is set. */
  readonly listen: (listener: GuestListener) => void;
  /** Ends the process, waits for its exit and removes its folder. */
  readonly dispose: Effect.Effect<void>;
}

export interface GuestListener {
  readonly onReady: () => void;
  readonly onFrame: (frame: GuestFrame) => void;
  /** Output outside of frames. */
  readonly onText: (text: string, isError: boolean) => void;
  readonly onEnd: (end: ChildEnd) => void;
}

const frameSlackBytes = 256 * 1024;
const errorLineBytes = 16 * 1024;
/** A guest that writes this many times its maximum frame length is killed. */
const floodFactor = 8;

/** The process reads its token and waits for its program. `atReady` runs before that. */
export const openGuestProcess = (
  startIn: (folder: string, root: string) => ChildStart,
  resultBytes: number,
  atReady?: (folder: string) => void,
): Effect.Effect<GuestProcess, SandboxError> =>
  Effect.try({
    try: () => startGuest(makeScratchFolder(), startIn, resultBytes + frameSlackBytes, atReady),
    catch: (cause) =>
      new SandboxError("sandbox_failed", "The sandbox cannot create a folder for its program.", {
        ran: false,
        cause,
      }),
  });

const startGuest = (
  root: string,
  startIn: (folder: string, root: string) => ChildStart,
  frameBytes: number,
  atReady: ((folder: string) => void) | undefined,
): GuestProcess => {
  const folder = join(root, "files");
  mkdirSync(folder);
  const token = randomBytes(24).toString("hex");
  let listener: GuestListener | undefined;
  let isReady = false;
  let isOver = false;
  const onEndCallbacks: (() => void)[] = [];
  let receivedBytes = 0;
  const waiting: ((to: GuestListener) => void)[] = [];
  const emit = (what: (to: GuestListener) => void): void => {
    if (listener === undefined) waiting.push(what);
    else what(listener);
  };
  const wire = new GuestFrameReader(
    token,
    frameBytes,
    (frame) => {
      if (frame.kind !== "ready") return emit(({ onFrame }) => onFrame(frame));
      if (isReady) return;
      isReady = true;
      atReady?.(folder);
      emit(({ onReady }) => onReady());
    },
    (text) => emit(({ onText }) => onText(text, false)),
  );
  const errors = new GuestFrameReader(
    token,
    errorLineBytes,
    () => {},
    (text) => emit(({ onText }) => onText(text, true)),
  );
  const onData = (to: GuestFrameReader) => (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes <= frameBytes * floodFactor) return to.push(chunk);
    emit(({ onFrame }) => onFrame({ kind: "flood", payload: "", isTooLong: false }));
    child.kill();
  };
  const child = startChild(startIn(folder, root), {
    onOutput: onData(wire),
    onError: onData(errors),
    onEnd: (end) => {
      wire.end();
      errors.end();
      isOver = true;
      emit(({ onEnd }) => onEnd(end));
      for (const each of onEndCallbacks) each();
    },
  });
  child.write(`${token}\n`);
  return {
    folder,
    root,
    child,
    isOver: () => isOver,
    listen: (to) => {
      listener = to;
      for (const each of waiting.splice(0)) each(to);
    },
    dispose: Effect.callback((resume) => {
      const remove = (): void => {
        removeScratchFolder(root);
        resume(Effect.void);
      };
      if (isOver) return remove();
      onEndCallbacks.push(remove);
      // Keeps this process alive until the guest has ended.
      child.hold(true);
      child.kill();
    }),
  };
};
