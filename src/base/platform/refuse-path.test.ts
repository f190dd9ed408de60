import { describe, expect, it } from "vitest";
import { refusePath } from "./refuse-path.ts";

describe("refusePath", () => {
  it.each(["a\0b", "file:///etc/hosts", "https://a.example/b", "x".repeat(4_097)])(
    "rejects invalid path %# on every platform",
    (path) => {
      for (const os of ["linux", "darwin", "win32"] as const) expect(refusePath(path, os)).toBeDefined();
    },
  );

  it.each([
    "\\\\server\\share\\x",
    "//server/share/x",
    "\\\\?\\C:\\x",
    "\\\\.\\pipe\\x",
    "\\windows\\x",
    "C:x",
    "C:",
    "notes.txt:hidden",
    "notes.txt::$DATA",
    "a\\b:c",
    "con",
    "NUL.txt",
    "a/com1",
    "a\\lpt9.log",
    "COM¹",
    "CONIN$",
    "notes.txt.",
    "notes.txt ",
    "...\\x",
    "a./b",
    "PROGRA~1\\x",
  ])("rejects %j on Windows", (path) => {
    expect(refusePath(path, "win32")).toBeDefined();
  });

  it.each(["notes.txt", "a/b.md", "a\\b.md", "C:\\work\\a.md", "../a", "console.log", "commune/x", "a b/c"])(
    "accepts %j on Windows",
    (path) => {
      expect(refusePath(path, "win32")).toBeUndefined();
    },
  );

  it.each(["con", "a:b", "notes.", "C:x"])("accepts %j outside Windows", (path) => {
    expect(refusePath(path, "linux")).toBeUndefined();
  });
});
