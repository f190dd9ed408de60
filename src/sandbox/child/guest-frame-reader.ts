import type { SandboxLogLine } from "../sandbox.ts";

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
