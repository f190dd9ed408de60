const newline = 10;

export class LineTooLongError extends Error {}

/** Joins chunks once per line, so that long lines cost linear time. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #decode: (bytes: Buffer) => string;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #chunk: Buffer | undefined;
  #at = 0;

  constructor(maxBytes: number, decode = (bytes: Buffer): string => bytes.toString("utf8")) {
    this.#maxBytes = maxBytes;
    this.#decode = decode;
  }

  /** All lines of the previous chunk must have been read. */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** Consumes a line even if decoding throws. */
  next(): string | undefined {
    const chunk = this.#chunk;
    if (chunk === undefined) return undefined;
    const end = chunk.indexOf(newline, this.#at);
    const length = (end < 0 ? chunk.length : end) - this.#at;
    if (this.#partBytes + length > this.#maxBytes) {
      this.clear();
      throw new LineTooLongError();
    }
    if (end < 0) {
      if (length > 0) {
        this.#parts.push(this.#at === 0 ? chunk : chunk.subarray(this.#at));
        this.#partBytes += length;
      }
      this.#chunk = undefined;
      return undefined;
    }
    const from = this.#at;
    this.#at = end + 1;
    if (this.#parts.length === 0) return this.#decode(chunk.subarray(from, end));
    this.#parts.push(chunk.subarray(from, end));
    const line = Buffer.concat(this.#parts, this.#partBytes + length);
    this.#parts = [];
    this.#partBytes = 0;
    return this.#decode(line);
  }

  clear(): void {
    this.#parts = [];
    this.#partBytes = 0;
    this.#chunk = undefined;
  }
}
