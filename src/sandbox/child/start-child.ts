import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { trackProcessGroup, untrackProcessGroup } from "../../base/platform/exit-cleanup.ts";
import { killTree, signalTree } from "../../base/platform/process-tree.ts";
import { hardLimitGraceMs } from "../sandbox.ts";
import { exceedsSize } from "./scratch-folder.ts";

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

/** With all descendants. */
export interface ProcessUsage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** Linux reports CPU time in units of 10 ms on every kernel. */
const tickMs = 10;

/** Undefined if unavailable. Counts at most `max` processes. */
export const processUsage = (root: number, max: number): ProcessUsage | undefined => {
  let [cpuMs, memoryBytes, processes] = [0, 0, 0];
  const pids = [root];
  for (let pid = pids.pop(); pid !== undefined && processes <= max; pid = pids.pop()) {
    try {
      const own = { cpuMs: cpuOf(pid), memoryBytes: memoryOf(pid), children: childrenOf(pid) };
      cpuMs += own.cpuMs;
      memoryBytes += own.memoryBytes;
      processes += 1;
      pids.push(...own.children);
    } catch {}
  }
  return processes === 0 ? undefined : { cpuMs, memoryBytes, processes };
};

/** Includes children that it has waited for. */
const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program name in parentheses may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0);
};

const memoryOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return (kilobytes("RssAnon") + kilobytes("RssShmem")) * 1024;
};

export const childrenOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" "))
      .filter((child) => child !== "")
      .map(Number);
  } catch {
    return [];
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

/** Usage before the watch does not count. */
export interface WatchedLimits {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  readonly folder?: { readonly path: string; readonly mostBytes: number } | undefined;
}

export type WatchedLimit = "time" | "cpu" | "memory" | "processes" | "files";

export interface LimitWatch {
  readonly usage: () => { readonly wallMs: number; readonly cpuMs: number };
  readonly end: () => void;
}

const pollMs = 50;
/** A fast disk writes a hundred megabytes within one usage interval. */
const folderPollMs = 5;

/** Reports the first exceeded limit. Between two polls only the wider system limits apply. */
export const watchLimits = (
  pid: number,
  limits: WatchedLimits,
  onReached: (limit: WatchedLimit) => void,
): LimitWatch => {
  const startedAt = performance.now();
  const before = processUsage(pid, limits.processes) ?? noUsage;
  let last = before;
  const end = (): void => {
    clearTimeout(timer);
    clearInterval(poll);
    clearInterval(folderPoll);
  };
  const reach = (limit: WatchedLimit): void => {
    end();
    onReached(limit);
  };
  const checkUsage = (): void => {
    last = processUsage(pid, limits.processes) ?? last;
    if (last.cpuMs - before.cpuMs > limits.cpuMs) reach("cpu");
    else if (last.memoryBytes - before.memoryBytes > limits.memoryBytes) reach("memory");
    else if (last.processes > limits.processes) reach("processes");
  };
  const { folder } = limits;
  const lookAtFolder = (): void => {
    if (folder !== undefined && exceedsSize(folder.path, folder.mostBytes)) reach("files");
  };
  const timer = setTimeout(() => reach("time"), limits.wallMs);
  const poll = setInterval(checkUsage, pollMs);
  const folderPoll = folder === undefined ? undefined : setInterval(lookAtFolder, folderPollMs);
  return {
    usage: () => {
      last = processUsage(pid, limits.processes) ?? last;
      return { wallMs: performance.now() - startedAt, cpuMs: Math.max(0, last.cpuMs - before.cpuMs) };
    },
    end,
  };
};

const noUsage: ProcessUsage = { cpuMs: 0, memoryBytes: 0, processes: 0 };
