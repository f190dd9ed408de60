const maxStderrLines = 40;
const maxStderrLineLength = 2_000;

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
    this.#open = (pieces.pop() ?? "").slice(0, maxStderrLineLength);
    for (const piece of pieces) this.#addLine(piece);
  }

  end(): void {
    if (this.#open !== "") this.#addLine(this.#open);
    this.#open = "";
  }

  #addLine(piece: string): void {
    const line = piece.slice(0, maxStderrLineLength).trimEnd();
    if (line === "") return;
    this.#lines.push(line);
    if (this.#lines.length > maxStderrLines * 2) this.#lines = this.#lines.slice(-maxStderrLines);
    this.#onLine?.(line);
  }

  text(): string {
    return [...this.#lines, ...(this.#open === "" ? [] : [this.#open])].slice(-maxStderrLines).join("\n");
  }
}
