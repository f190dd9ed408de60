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

/** A machine whose /proc says what a test says; nothing of it can be read that is not named. */
const machine = async (
  proc: Readonly<Record<string, string>>,
  os: NodeJS.Platform = "linux",
  /** When each process started, as `ps` tells it. */
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
  // A copy of its own, because which machine this is was found out when the module was loaded.
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

describe("where /proc says who runs", () => {
  it.each([
    ["S", "7", true],
    ["T", "7", true],
    ["Z", "7", false],
    ["X", "7", false],
    ["S", "8", false],
  ])(
    "a process in state %s that was born at %s, when 7 is looked for, is there: %s",
    async (state, born, there) => {
      const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({
        ...boot,
        ...namespace,
        ...stat(parent, state, born),
      });
      expect(isThere({ ...birth(), pid: parent, born: "7" }, false)).toBe(there);
    },
  );

  it("a process number that nobody has is nobody, even if nothing was known of its birth", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({
      ...boot,
      ...namespace,
    });
    expect(isThere({ ...birth(), pid: nobodys, born: "" }, false)).toBe(false);
  });

  it("a process of somebody else, whom no signal may be sent, is there", async () => {
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

describe("where /proc does not say which machine this is", () => {
  it.each([
    ["neither its boot nor its namespace", {}],
    ["no boot", namespace],
    ["no namespace", boot],
  ])("and names %s, nobody can be told to be gone by a process number", async (_, proc) => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine(proc);
    expect(isThere({ ...birth(), pid: nobodys }, false)).toBeUndefined();
    expect(isThere({ ...birth(), pid: nobodys }, true)).toBe(true);
  });

  it("on a system without /proc a number that nobody has on this machine is proof, and on another it is none", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({}, "darwin");
    expect(isThere({ ...birth(), pid: nobodys }, false)).toBe(false);
    expect(isThere({ ...birth(), pid: parent }, false)).toBeUndefined();
    expect(isThere({ ...birth(), host: "another-machine  ", pid: nobodys }, false)).toBeUndefined();
  });

  it("on a system whose ps tells starts, a number that was given to another process is not the owner", async () => {
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

  it("on Windows, where starts are not asked for, a number that somebody has leaves it to the heartbeat", async () => {
    const { currentProcessIdentity: birth, isProcessAlive: isThere } = await machine({}, "win32", {
      [parent]: "never asked",
    });
    expect(birth().born).toBe("");
    expect(isThere({ ...birth(), pid: parent }, false)).toBeUndefined();
    expect(isThere({ ...birth(), pid: nobodys }, false)).toBe(false);
  });
});
