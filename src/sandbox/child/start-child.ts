import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { trackProcessGroup, untrackProcessGroup } from "../../base/platform/exit-cleanup.ts";
import { killTree, signalTree } from "../../base/platform/process-tree.ts";
import { hardLimitGraceMs } from "../sandbox.ts";
import { childrenOf } from "./process-usage.ts";

/** Starts without a shell and inherits no environment variables. */
export interface ChildStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The child creates process groups: it is killed with its children and never receives SIGTERM. */
  readonly hasOwnGroups?: boolean;
}

/** `problem` is set if the child could not start. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly problem?: string;
}

export interface ChildListener {
  readonly onOutput: (chunk: Buffer) => void;
  readonly onError: (chunk: Buffer) => void;
  /** Called once, after all output was read or the pipes were closed. */
  readonly onEnd: (end: ChildEnd) => void;
}

export interface ChildHandle {
  readonly pid: number | undefined;
  readonly write: (input: string | Uint8Array) => void;
  readonly endInput: () => void;
  /** Sends SIGTERM, and SIGKILL after half a second. */
  readonly stop: () => void;
  /** Kills the process group. */
  readonly kill: () => void;
  readonly hold: (isHeld: boolean) => void;
}

/** Another process may hold the pipes open. */
const drainTimeoutMs = 200;

/** The child leads its own process group and does not outlive this process. */
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
    // Node throws some errors, such as arguments that are too long.
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
    // Kills processes that the child left in its group.
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
  // A child that closes both output pipes is killed.
  let open = 2;
  for (const [pipe, onData] of [
    [child.stdout, listener.onOutput],
    [child.stderr, listener.onError],
  ] as const) {
    pipe.on("data", onData).on("error", () => {});
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

/** Stopped first, so that no child is created between listing and killing. */
const killWithChildren = (pid: number): void => {
  signalTree(pid, "SIGSTOP");
  const children = childrenOf(pid);
  killTree(pid);
  for (const child of children) {
    try {
      process.kill(child, "SIGKILL");
    } catch {}
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
