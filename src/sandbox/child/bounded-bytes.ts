/** Keeps the first bytes and counts the rest. */
export class BoundedBytes {
  readonly #most: number;
  #parts: Buffer[] = [];
  #length = 0;
  #receivedLength = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(chunk: Buffer): void {
    this.#receivedLength += chunk.length;
    const remaining = this.#most - this.#length;
    if (remaining <= 0) return;
    const part = chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
    this.#parts.push(part);
    this.#length += part.length;
  }

  get receivedLength(): number {
    return this.#receivedLength;
  }

  get isCut(): boolean {
    return this.#receivedLength > this.#length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }
}
