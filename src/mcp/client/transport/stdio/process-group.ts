import { type ChildProcess, spawn } from "node:child_process";

/** How long an ending child has after its input closed, and after it was asked to stop. */
export interface EndingTimes {
  readonly inputMs: number;
  readonly termMs: number;
}

export const defaultGraces: EndingTimes = { inputMs: 700, termMs: 700 };

const isWindows = process.platform === "win32";
const fatal = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const alive = new Set<number>();

/** The whole group, or false where nobody is left in it. */
const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(isWindows ? pid : -pid, signal);
    return true;
  } catch {
    return false;
  }
};

const killGroup = (pid: number): void => {
  if (isWindows) spawn("taskkill", ["/T", "/F", "/PID", String(pid)], { windowsHide: true }).unref();
  else signalGroup(pid, "SIGKILL");
};

const killAll = (): void => {
  for (const pid of alive) killGroup(pid);
  alive.clear();
};

/** A child in a group of its own does not hear Ctrl-C, so who hears it ends the children first, then itself. */
const onFatal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  unhook();
  process.kill(process.pid, signal);
};

const hook = (): void => {
  process.once("exit", killAll);
  for (const signal of fatal) process.on(signal, onFatal);
};

const unhook = (): void => {
  process.off("exit", killAll);
  for (const signal of fatal) process.off(signal, onFatal);
};

/** From now on the group does not outlive this process. */
export const watchGroup = (pid: number): void => {
  if (alive.size === 0) hook();
  alive.add(pid);
};

const forgetGroup = (pid: number): void => {
  if (alive.delete(pid) && alive.size === 0) unhook();
};

const exited = (child: ChildProcess, ms: number): Promise<boolean> =>
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

/** Whoever the child left behind in its group. */
const sweep = async (pid: number, ms: number): Promise<void> => {
  if (isWindows || !signalGroup(pid, "SIGTERM")) return;
  const until = Date.now() + ms;
  while (signalGroup(pid, 0)) {
    if (Date.now() >= until) return killGroup(pid);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};

/** Asks by closing its input, then by signal, then does not ask. Nothing of the group is left. Never rejects. */
export const endGroup = async (child: ChildProcess, { inputMs, termMs }: EndingTimes): Promise<void> => {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  if (!(await exited(child, inputMs))) {
    signalGroup(pid, "SIGTERM");
    if (!(await exited(child, termMs))) {
      killGroup(pid);
      await exited(child, termMs);
    }
  }
  await sweep(pid, termMs);
  forgetGroup(pid);
};
