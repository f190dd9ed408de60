import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { onStopRequest } from "./run-process.ts";

/** The number of stops of a process on this platform after an event. */
const asked = (platform: NodeJS.Platform, hasParent: boolean, event: string, message?: unknown): number => {
  const reported = new EventEmitter();
  let stops = 0;
  const given = Object.assign(reported, { platform, ...(hasParent ? { send: () => true } : {}) });
  onStopRequest(given as never, () => {
    stops += 1;
  });
  reported.emit(event, message);
  return stops;
};

describe("stop request", () => {
  it.each([
    ["linux", "SIGTERM"],
    ["linux", "SIGINT"],
    ["win32", "SIGBREAK"],
    ["win32", "SIGHUP"],
    ["win32", "SIGINT"],
  ] as const)("is received on %s by %s", (platform, signal) => {
    expect(asked(platform, false, signal)).toBe(1);
  });

  it("is received from a parent process only by the message shutdown", () => {
    expect(asked("win32", true, "message", "shutdown")).toBe(1);
    expect(asked("win32", true, "message", { cmd: "other" })).toBe(0);
    expect(asked("linux", false, "message", "shutdown")).toBe(0);
  });
});
