/** Keeps the first bytes and counts the rest. */
export class BoundedBytes {
  readonly #most: number;
  #parts: Buffer[] = [];
  #length = 0;
  #heard = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(chunk: Buffer): void {
    this.#heard += chunk.length;
    const room = this.#most - this.#length;
    if (room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#parts.push(part);
    this.#length += part.length;
  }

  get heard(): number {
    return this.#heard;
  }

  get isCut(): boolean {
    return this.#heard > this.#length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }
}
