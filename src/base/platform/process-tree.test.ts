import { describe, expect, it } from "vitest";
import { killTree, type ProcessSystem, signalTree } from "./process-tree.ts";

const system = (os: NodeJS.Platform, isThere = true) => {
  const done: string[] = [];
  let failure: (() => void) | undefined;
  const ending: ProcessSystem = {
    os,
    kill: (pid, signal) => {
      if (!isThere) throw new Error("ESRCH");
      done.push(`kill ${pid} ${signal}`);
    },
    start: (file, args, onFailure) => {
      failure = onFailure;
      done.push([file.split("\\").at(-1), ...args].join(" "));
    },
  };
  return { ending, done, fail: () => failure?.() };
};

describe("process tree", () => {
  it("signals the process group where groups exist", () => {
    const { ending, done } = system("darwin");
    expect(signalTree(7, "SIGTERM", ending)).toBe(true);
    killTree(7, ending);
    expect(done).toEqual(["kill -7 SIGTERM", "kill -7 SIGKILL"]);
  });

  it("uses taskkill on Windows and kills the child when taskkill cannot start", () => {
    const { ending, done, fail } = system("win32");
    killTree(7, ending);
    expect(done).toEqual(["taskkill.exe /pid 7 /t /f"]);
    fail();
    expect(done.at(-1)).toBe("kill 7 SIGKILL");
  });

  it("ignores a process that has already exited", () => {
    for (const os of ["linux", "win32"] as const) {
      const { ending } = system(os, false);
      expect(signalTree(7, 0, ending)).toBe(false);
      expect(() => killTree(7, ending)).not.toThrow();
    }
  });
});
