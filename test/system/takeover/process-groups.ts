// allow-sleep in this file: a process that was stopped may never report
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ActorOptions, ActorReport } from "./actor.ts";

/** A process of a takeover in its own process group. */
export interface ActorProcess {
  /** Resolves with its next report of these kinds, or undefined when it ends or after the timeout. */
  readonly next: (
    kinds: readonly ActorReport["kind"][],
    withinMs: number,
  ) => Promise<ActorReport | undefined>;
  readonly send: (line: string) => void;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Its complete error output. */
  readonly complaints: () => string;
  /** Kills the whole group, stopped or not, and waits for its end. */
  readonly kill: () => Promise<void>;
}

export interface ProcessGroups {
  readonly start: (
    options: ActorOptions,
    how: { readonly isOtherNamespace: boolean; readonly aheadMs: number },
  ) => ActorProcess;
  readonly end: () => Promise<void>;
}

/** Gives the process its own pid namespace, which ends with its parent. */
const newNamespace = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** Why no pid namespace can be created here, if so. */
export const whyNoOtherNamespace = async (): Promise<string | undefined> => {
  const [command = "", ...flags] = newNamespace;
  const child = spawn(command, [...flags, "true"], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const [code] = await Promise.race([once(child, "close"), once(child, "error")]).catch((error) => [error]);
  return code === 0 ? undefined : `unshare --pid is not possible here: ${errors.trim() || String(code)}`;
};

/** Kills all remaining groups when its input closes, however its parent ended. */
const guardScript = `
const groups = new Set();
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) line[0] === "+" ? groups.add(line.slice(1)) : groups.delete(line.slice(1));
}).on("end", () => {
  for (const group of groups) try { process.kill(-Number(group), "SIGKILL"); } catch {}
});`;

export const processGroups = (program: string): ProcessGroups => {
  const guard = spawn(process.execPath, ["-e", guardScript], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const running = new Set<ActorProcess>();
  return {
    start: (options, { isOtherNamespace, aheadMs }) => {
      const command = [process.execPath, "--no-warnings", program, JSON.stringify(options)];
      const [file = "", ...flags] = isOtherNamespace ? [...newNamespace, ...command] : command;
      const env = { ...process.env, ...(aheadMs === 0 ? {} : { HAFT_CLOCK_AHEAD_MS: String(aheadMs) }) };
      const child = spawn(file, flags, { stdio: ["pipe", "pipe", "pipe"], detached: true, env });
      guard.stdin.write(`+${child.pid}\n`);
      const actor = toActor(child, () => {
        guard.stdin.write(`-${child.pid}\n`);
        running.delete(actor);
      });
      running.add(actor);
      return actor;
    },
    end: async () => {
      await Promise.all([...running].map((each) => each.kill()));
      guard.stdin.end();
      if (guard.exitCode === null) await once(guard, "exit");
    },
  };
};

const toActor = (child: ChildProcess, onGone: () => void): ActorProcess => {
  const reports: ActorReport[] = [];
  let complaints = "";
  let isGone = false;
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    for (const each of wake.splice(0)) each();
  };
  child.stdin?.on("error", () => {});
  child.stderr?.on("data", (chunk) => {
    complaints += chunk;
  });
  createInterface({ input: child.stdout! }).on("line", (line) => {
    reports.push(JSON.parse(line) as ActorReport);
    wakeAll();
  });
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      isGone = true;
      onGone();
      wakeAll();
      resolve();
    };
    child.once("close", end);
    child.once("error", end);
  });
  return {
    next: async (kinds, withinMs) => {
      const until = performance.now() + withinMs;
      for (;;) {
        const at = reports.findIndex(({ kind }) => kinds.includes(kind));
        if (at >= 0) return reports.splice(at, 1)[0];
        const leftMs = until - performance.now();
        if (isGone || leftMs <= 0) return undefined;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, leftMs);
          wake = [
            ...wake,
            () => {
              clearTimeout(timer);
              resolve();
            },
          ];
        });
      }
    },
    send: (line) => child.stdin?.write(`${line}\n`),
    signal: (signal) => {
      child.kill(signal);
    },
    complaints: () => complaints,
    kill: () => {
      try {
        if (!isGone && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It had ended already.
      }
      return gone;
    },
  };
};
