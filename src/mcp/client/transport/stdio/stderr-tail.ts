const mostLines = 40;
const longestLine = 2_000;

/** The last lines of what a child says on the side. Bounded however much it says. */
export class StderrTail {
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  #open = "";

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const pieces = (this.#open + this.#decoder.decode(chunk, { stream: true })).split("\n");
    // What exceeds the length of a line is never kept, so a line without an end costs nothing.
    this.#open = (pieces.pop() ?? "").slice(0, longestLine);
    for (const piece of pieces) this.#keep(piece);
  }

  end(): void {
    if (this.#open !== "") this.#keep(this.#open);
    this.#open = "";
  }

  #keep(piece: string): void {
    const line = piece.slice(0, longestLine).trimEnd();
    if (line === "") return;
    this.#lines.push(line);
    if (this.#lines.length > mostLines * 2) this.#lines = this.#lines.slice(-mostLines);
    this.#onLine?.(line);
  }

  text(): string {
    return [...this.#lines, ...(this.#open === "" ? [] : [this.#open])].slice(-mostLines).join("\n");
  }
}
