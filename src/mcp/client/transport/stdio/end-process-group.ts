import type { ChildProcess } from "node:child_process";
import { untrackProcessGroup } from "../../../../base/platform/exit-cleanup.ts";
import {
  hostProcessSystem,
  killTree,
  type ProcessSystem,
  signalTree,
} from "../../../../base/platform/process-tree.ts";

/** Wait times after closing stdin and after SIGTERM. */
export interface EndGraceTimes {
  readonly inputMs: number;
  readonly termMs: number;
}

export const defaultEndGraces: EndGraceTimes = { inputMs: 700, termMs: 700 };

const waitForExit = (child: ChildProcess, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(true);
    const onExit = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      child.off("exit", onExit);
      resolve(false);
    }, ms);
    child.once("exit", onExit);
  });

const pollMs = 20;

const endRemaining = async (pid: number, ms: number, system: ProcessSystem): Promise<void> => {
  if (system.os === "win32" || !signalTree(pid, "SIGTERM", system)) return;
  const until = Date.now() + ms;
  while (signalTree(pid, 0, system)) {
    if (Date.now() >= until) return killTree(pid, system);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};

/**
 * Closes stdin, then SIGTERM, then SIGKILL, until the group is empty. Never rejects. On Windows SIGTERM would
 * orphan grandchildren, so the tree is killed.
 */
export const endProcessGroup = async (
  child: ChildProcess,
  { inputMs, termMs }: EndGraceTimes,
  system: ProcessSystem = hostProcessSystem,
): Promise<void> => {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  if (!(await waitForExit(child, inputMs))) {
    if (system.os !== "win32") signalTree(pid, "SIGTERM", system);
    if (!(await waitForExit(child, termMs))) {
      killTree(pid, system);
      await waitForExit(child, termMs);
    }
  }
  await endRemaining(pid, termMs, system);
  untrackProcessGroup(pid);
};

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
