import * as fs from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";

const { platform } = process;

afterEach(() => {
  Object.defineProperty(process, "platform", { value: platform });
  vi.doUnmock("node:fs");
  vi.doUnmock("node:child_process");
  vi.restoreAllMocks();
});

let machines = 0;

/** A machine with these files in /proc and no others. */
const machine = async (
  proc: Readonly<Record<string, string>>,
  os: NodeJS.Platform = "linux",
  /** The start time of each process as `ps` prints it. */
  ps: Readonly<Record<string, string>> = {},
) => {
  const readProc = (path: unknown): string => {
    const text = proc[String(path)];
    if (text === undefined) throw new Error(`no ${path}`);
    return text;
  };
  vi.doMock("node:fs", () => ({ ...fs, readFileSync: readProc, readlinkSync: readProc }));
  const tell = (_: string, args: readonly string[]): string => {
    const start = ps[args.at(-1) ?? ""];
    if (start === undefined) throw new Error("ps ended with 1");
    return `${start}\n`;
  };
  vi.doMock("node:child_process", () => ({ execFileSync: tell }));
  Object.defineProperty(process, "platform", { value: os });
  machines += 1;
  // Imports a new copy, because the module identifies the machine when it is loaded.
  return import(/* @vite-ignore */ `./process-identity.ts?machine=${machines}`) as Promise<
    typeof import("./process-identity.ts")
  >;
};

const boot = { "/proc/sys/kernel/random/boot_id": "boot\n" };
const namespace = { "/proc/self/ns/pid": "pid:[1]" };
const stat = (pid: number, state: string, born: string) => ({
  [`/proc/${pid}/stat`]: `${pid} (a (strange) name) ${state} ${"0 ".repeat(18)}${born} 0 0`,
});
const nobodys = 99_999_999;
const parent = process.ppid;

describe("machine with /proc", () => {
  it.each([
    ["S", "7", true],
    ["T", "7", true],
    ["Z", "7", false],
    ["X", "7", false],
    ["S", "8", false],
  ])("process in state %s with start time %s is alive for start time 7: %s", async (state, born, there) => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({
      ...boot,
      ...namespace,
      ...stat(parent, state, born),
    });
    expect(isThere({ ...birth(), pid: parent, born: "7" }, false)).toBe(there);
  });

  it("finds a process dead whose number no process has, even without a start time", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({
      ...boot,
      ...namespace,
    });
    expect(isThere({ ...birth(), pid: nobodys, born: "" }, false)).toBe(false);
  });

  it("finds a process alive to which it may not send a signal", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({
      ...boot,
      ...namespace,
      ...stat(parent, "S", "7"),
    });
    const its = { ...birth(), pid: parent, born: "7" };
    const kill = vi.spyOn(process, "kill");
    kill.mockImplementation(() => {
      throw Object.assign(new Error("not yours"), { code: "EPERM" });
    });
    expect(isThere(its, false)).toBe(true);
    kill.mockImplementation(() => {
      throw Object.assign(new Error("nobody"), { code: "ESRCH" });
    });
    expect(isThere(its, false)).toBe(false);
  });
});

describe("machine that /proc does not identify", () => {
  it.each([
    ["no boot id and no namespace", {}],
    ["no boot id", namespace],
    ["no namespace", boot],
  ])("cannot declare a process dead with %s", async (_, proc) => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine(proc);
    expect(isThere({ ...birth(), pid: nobodys }, false)).toBeUndefined();
    expect(isThere({ ...birth(), pid: nobodys }, true)).toBe(true);
  });

  it("finds a process dead without /proc only on the same machine", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({}, "darwin");
    expect(isThere({ ...birth(), pid: nobodys }, false)).toBe(false);
    expect(isThere({ ...birth(), pid: parent }, false)).toBeUndefined();
    expect(isThere({ ...birth(), host: "another-machine  ", pid: nobodys }, false)).toBeUndefined();
  });

  it("compares start times from ps", async () => {
    const born = "Mon Nov 16 09:00:00 2026";
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({}, "darwin", {
      [parent]: "Mon Nov 16 10:30:00 2026",
      [process.pid]: born,
    });
    expect(birth().born).toBe(born);
    expect(isThere({ ...birth(), pid: parent, born }, false)).toBe(false);
    expect(isThere({ ...birth(), pid: parent, born: "Mon Nov 16 10:30:00 2026" }, false)).toBe(true);
    expect(isThere({ ...birth(), pid: parent, born: "" }, false)).toBeUndefined();
    expect(isThere({ ...birth(), host: "another-machine  ", pid: parent, born }, false)).toBeUndefined();
  });

  it("leaves a process number in use to the heartbeat on Windows", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({}, "win32", {
      [parent]: "never asked",
    });
    expect(birth().born).toBe("");
    expect(isThere({ ...birth(), pid: parent }, false)).toBeUndefined();
    expect(isThere({ ...birth(), pid: nobodys }, false)).toBe(false);
  });
});
