import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { SandboxError } from "../../types/errors.ts";
import type { SandboxLogLine } from "../sandbox.ts";
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

/** A message of the guest code. All other output is the program's. */
export interface GuestFrame {
  readonly kind: string;
  /** Untrusted JSON. */
  readonly payload: string;
  /** The payload was dropped. */
  readonly isTooLong: boolean;
}

const newline = 10;

/**
 * A frame is a line that begins with a random token, which is hidden from the program. A forged frame can
 * only falsify the program's own result.
 */
export class GuestFrameReader {
  readonly #mark: Buffer;
  readonly #mostBytes: number;
  readonly #onFrame: (frame: GuestFrame) => void;
  readonly #onText: (text: string) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #isCut = false;

  constructor(
    token: string,
    mostBytes: number,
    onFrame: (frame: GuestFrame) => void,
    onText: (text: string) => void,
  ) {
    this.#mark = Buffer.from(`${token} `);
    this.#mostBytes = mostBytes;
    this.#onFrame = onFrame;
    this.#onText = onText;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#take();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  end(): void {
    if (this.#length > 0) this.#take();
  }

  #keep(part: Buffer): void {
    const remaining = this.#mostBytes - this.#length;
    if (part.length > remaining) this.#isCut = true;
    if (part.length === 0 || remaining <= 0) return;
    const kept = part.length > remaining ? part.subarray(0, remaining) : part;
    this.#parts.push(kept);
    this.#length += kept.length;
  }

  #take(): void {
    const line = Buffer.concat(this.#parts, this.#length);
    const isCut = this.#isCut;
    this.#parts = [];
    this.#length = 0;
    this.#isCut = false;
    if (line.length < this.#mark.length || !line.subarray(0, this.#mark.length).equals(this.#mark)) {
      if (line.length > 0) this.#onText(line.toString());
      return;
    }
    const text = line.subarray(this.#mark.length).toString();
    const space = text.indexOf(" ");
    const kind = space < 0 ? text : text.slice(0, space);
    this.#onFrame({ kind, payload: isCut || space < 0 ? "" : text.slice(space + 1), isTooLong: isCut });
  }
}

export class BoundedLogs {
  readonly #most: number;
  readonly #lines: (SandboxLogLine & { readonly isRaw: boolean })[] = [];
  #bytes = 0;
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(level: SandboxLogLine["level"], text: string, isRaw = false): void {
    const bytes = Buffer.byteLength(text) + 1;
    if (this.#bytes + bytes > this.#most) {
      this.isCut = true;
      const remaining = this.#most - this.#bytes;
      if (remaining > 1) this.#lines.push({ level, text: cutToBytes(text, remaining - 1), isRaw });
      this.#bytes = this.#most;
      return;
    }
    this.#bytes += bytes;
    this.#lines.push({ level, text, isRaw });
  }

  /** Raw lines bypassed the console. For an engine that crashed they are its own error messages. */
  lines(withRaw: boolean): readonly SandboxLogLine[] {
    return this.#lines.filter(({ isRaw }) => withRaw || !isRaw).map(({ level, text }) => ({ level, text }));
  }
}

const cutToBytes = (text: string, bytes: number): string =>
  Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");

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

/** No guest outlives its engine. */
interface GuestPool {
  readonly use: <A>(
    open: Effect.Effect<GuestProcess, SandboxError>,
    run: (guest: GuestProcess) => Effect.Effect<A, SandboxError>,
  ) => Effect.Effect<A, SandboxError>;
  /** For guests that are kept ready. */
  readonly add: (guest: GuestProcess) => GuestProcess;
  readonly isClosed: () => boolean;
  readonly close: Effect.Effect<void>;
}

export const guestPool: Effect.Effect<GuestPool, never, Scope> = Effect.gen(function* () {
  const alive = new Set<GuestProcess>();
  let isClosed = false;
  const add = (guest: GuestProcess): GuestProcess => {
    alive.add(guest);
    return guest;
  };
  const leave = (guest: GuestProcess): Effect.Effect<void> => {
    alive.delete(guest);
    return guest.dispose;
  };
  const close = Effect.suspend(() => {
    isClosed = true;
    return Effect.forEach([...alive], leave, { concurrency: "unbounded", discard: true });
  });
  yield* Effect.addFinalizer(() => close);
  return {
    use: (open, run) =>
      Effect.suspend(() =>
        isClosed
          ? Effect.fail(new SandboxError("sandbox_failed", "The sandbox is closed.", { ran: false }))
          : Effect.acquireUseRelease(Effect.map(open, add), run, leave),
      ),
    add,
    isClosed: () => isClosed,
    close,
  };
});
