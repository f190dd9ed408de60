import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { trackProcessGroup, untrackProcessGroup } from "../../base/platform/exit-cleanup.ts";
import { killTree, signalTree } from "../../base/platform/process-tree.ts";
import { hardLimitGraceMs } from "../sandbox.ts";
import { childrenOf } from "./process-usage.ts";

/** A program of the operator's that holds untrusted code. No shell reads its arguments, and it inherits no variable. */
export interface ChildStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It keeps its own children in another group. They are killed with it, and it is never only asked to end. */
  readonly hasOwnGroups?: boolean;
}

/** How it ended; `problem` is the system's code where it could not even be started. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly problem?: string;
}

export interface ChildListener {
  readonly onOutput: (chunk: Buffer) => void;
  readonly onError: (chunk: Buffer) => void;
  /** Called once, when everything that it wrote was heard or its pipes were cut. */
  readonly onEnd: (end: ChildEnd) => void;
}

export interface ChildHandle {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  readonly write: (input: string | Uint8Array) => void;
  readonly endInput: () => void;
  /** Asks it to end, and half a second later does not ask. */
  readonly stop: () => void;
  /** Ends its whole group at once. */
  readonly kill: () => void;
  /** Whether it keeps this process from ending. */
  readonly hold: (isHeld: boolean) => void;
}

/** How long the last bytes of a child that ended may take to arrive: somebody else may hold its pipes. */
const drainTimeoutMs = 200;

/** Starts a child that leads a process group of its own and does not outlive this process. */
export const startChild = (start: ChildStart, listener: ChildListener): ChildHandle => {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(start.file, start.args, {
      cwd: start.cwd,
      env: { ...start.env },
      stdio: "pipe",
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    // Node throws what it does not emit, such as that the arguments are too long.
    const problem = (error as NodeJS.ErrnoException).code ?? "unknown";
    setImmediate(() => listener.onEnd({ code: null, signal: null, problem }));
    return deadChild;
  }
  const { pid } = child;
  if (pid !== undefined) trackProcessGroup(pid);
  let isOver = false;
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, then: () => void): void => {
    timers.push(setTimeout(then, ms));
  };
  const kill = (): void => {
    if (pid === undefined || isOver) return;
    if (start.hasOwnGroups === true) killWithChildren(pid);
    else killTree(pid);
  };
  const finish = (end: ChildEnd): void => {
    if (isOver) return;
    // Whoever it left behind in its group.
    kill();
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    if (pid !== undefined) untrackProcessGroup(pid);
    for (const pipe of pipesOf(child)) pipe.destroy();
    listener.onEnd(end);
  };
  child.once("error", ({ code }: NodeJS.ErrnoException) => {
    if (pid === undefined) finish({ code: null, signal: null, problem: code ?? "unknown" });
  });
  child.once("exit", (code, signal) => after(drainTimeoutMs, () => finish({ code, signal })));
  child.once("close", (code, signal) => finish({ code, signal }));
  // One that closes what it writes to and lives on is of no use to anybody.
  let open = 2;
  for (const [pipe, hear] of [
    [child.stdout, listener.onOutput],
    [child.stderr, listener.onError],
  ] as const) {
    pipe.on("data", hear).on("error", () => {});
    pipe.once("end", () => {
      open -= 1;
      if (open === 0) after(hardLimitGraceMs, kill);
    });
  }
  child.stdin.on("error", () => {});
  return {
    pid,
    write: (input) => {
      if (child.stdin.writable) child.stdin.write(input);
    },
    endInput: () => {
      child.stdin.end();
    },
    stop: () => {
      if (pid === undefined || isOver) return;
      if (start.hasOwnGroups === true) return kill();
      signalTree(pid, "SIGTERM");
      after(hardLimitGraceMs, kill);
    },
    kill,
    hold: (isHeld) => {
      for (const each of [child, ...pipesOf(child)]) {
        if (isHeld) each.ref();
        else each.unref();
      }
    },
  };
};

/** It is stopped first, so that none is born in between: one that is would not know that its parent is gone. */
const killWithChildren = (pid: number): void => {
  signalTree(pid, "SIGSTOP");
  const children = childrenOf(pid);
  killTree(pid);
  for (const child of children) {
    try {
      process.kill(child, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
};

const noop = (): void => {};
const deadChild: ChildHandle = {
  pid: undefined,
  write: noop,
  endInput: noop,
  stop: noop,
  kill: noop,
  hold: noop,
};

const pipesOf = (child: ChildProcess): readonly Socket[] =>
  [child.stdin, child.stdout, child.stderr] as unknown as readonly Socket[];
