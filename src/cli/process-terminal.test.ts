import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { onStopRequest } from "./process-terminal.ts";

/** A process that is told to stop, on a system that a test names. */
const asked = (platform: NodeJS.Platform, hasParent: boolean, event: string, message?: unknown): number => {
  const told = new EventEmitter();
  let stops = 0;
  const given = Object.assign(told, { platform, ...(hasParent ? { send: () => true } : {}) });
  onStopRequest(given as never, () => {
    stops += 1;
  });
  told.emit(event, message);
  return stops;
};

describe("a process is asked to stop, and may end what is under way", () => {
  it.each([
    ["linux", "SIGTERM"],
    ["linux", "SIGINT"],
    ["win32", "SIGBREAK"],
    ["win32", "SIGHUP"],
    ["win32", "SIGINT"],
  ] as const)("on %s by %s", (platform, signal) => {
    expect(asked(platform, false, signal)).toBe(1);
  });

  it("by the word shutdown of whoever started it, and by no other word", () => {
    expect(asked("win32", true, "message", "shutdown")).toBe(1);
    expect(asked("win32", true, "message", { cmd: "other" })).toBe(0);
    expect(asked("linux", false, "message", "shutdown")).toBe(0);
  });
});
