// allow-sleep in this file: the growth of a process under attack is sampled, and a host that hangs is ended
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEngines } from "../attack.ts";
import type { Canaries } from "../canaries.ts";
import { bytesIn, bytesMarked } from "./bytes-in.ts";
import type { HostOrder, HostReport } from "./main.ts";
import { killAll, peakBytes, treeOf } from "./process-tree.ts";

/** What was observed of one run from outside its host. */
export interface Seen {
  readonly report?: HostReport | undefined;
  /** How the host ended, if it did. */
  readonly died?: string | undefined;
  readonly hung: boolean;
  readonly grownBytes: number;
  readonly mostProcesses: number;
  /** Size of the folders of its programs; measured only for attacks that fill them. */
  readonly mostFileBytes: number;
  /** Size of its files in memory file systems; measured only for attacks on them. */
  readonly sharedBytes: number;
}

const hostFile = fileURLToPath(new URL("main.ts", import.meta.url));
const prlimit = "/usr/bin/prlimit";
/** Limits around open engines that protect the machine: far more than an attack needs. */
const outerLimits = ["--data=3000000000", "--fsize=300000000", "--cpu=60", "--core=0", "--"];
const lookMs = 25;

/** A process in which an engine runs attack programs, one at a time. */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly pid: number;

  readonly #scratch: string;

  private constructor(child: ChildProcess, scratch: string) {
    this.#child = child;
    this.#scratch = scratch;
    this.pid = child.pid!;
  }

  /** Resolves with a reason when the engine is not available. */
  static start(engine: string, canaries: Canaries): Promise<HostProcess | string> {
    const scratch = mkdtempSync(join(canaries.scratch, "host-"));
    const isBounded = (openEngines as readonly string[]).includes(engine) && existsSync(prlimit);
    const child = fork(hostFile, [engine], {
      cwd: scratch,
      // The engines find deno and pyodide through NODE_PATH.
      env: { ...canaries.env, TMPDIR: scratch, NODE_PATH: process.env.NODE_PATH },
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execPath: isBounded ? prlimit : process.execPath,
      execArgv: isBounded ? [...outerLimits, process.execPath, "--no-warnings"] : ["--no-warnings"],
      serialization: "json",
    });
    const host = new HostProcess(child, scratch);
    return new Promise((resolve) => {
      child.once("exit", (code, signal) =>
        resolve(`it ended with ${signal ?? `code ${code}`} before it was ready`),
      );
      child.once("message", (reported: { readonly missing?: string }) => {
        child.removeAllListeners("exit");
        if (reported.missing !== undefined) host.end();
        resolve(reported.missing ?? host);
      });
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  run(order: HostOrder, mostMs: number): Promise<Seen> {
    const child = this.#child;
    const before = peakBytes(treeOf(this.pid));
    let [grownBytes, mostProcesses, mostFileBytes, sharedBytes] = [0, 0, 0, 0];
    return new Promise((resolve) => {
      const look = (): void => {
        const pids = treeOf(this.pid);
        grownBytes = Math.max(grownBytes, peakBytes(pids) - before);
        mostProcesses = Math.max(mostProcesses, pids.length);
        if (order.attack.harm === "shared memory")
          sharedBytes = Math.max(sharedBytes, ...pids.map((pid) => bytesMarked(pid, order.target.mark)));
        if (order.attack.harm === "files") mostFileBytes = Math.max(mostFileBytes, bytesIn(this.#scratch));
      };
      const finish = (how: Partial<Seen>): void => {
        if (this.isAlive) look();
        clearInterval(looks);
        clearTimeout(alarm);
        child.removeAllListeners("message").removeAllListeners("exit");
        resolve({ hung: false, ...how, grownBytes, mostProcesses, mostFileBytes, sharedBytes });
      };
      const looks = setInterval(look, lookMs);
      const alarm = setTimeout(() => {
        finish({ hung: true });
        this.end();
      }, mostMs);
      child.once("message", ({ report }: { readonly report: HostReport }) => finish({ report }));
      child.once("exit", (code, signal) => finish({ died: signal ?? `code ${code}` }));
      child.send(order, () => {});
    });
  }

  /** Ends the host with all its child processes. */
  end(): void {
    killAll(treeOf(this.pid));
  }
}
