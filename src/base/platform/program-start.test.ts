import { describe, expect, it } from "vitest";
import { type ProgramSystem, programStart } from "./program-start.ts";

const windows = (...files: readonly string[]): ProgramSystem => ({
  os: "win32",
  env: {
    Path: 'C:\\tools;"C:\\Program Files\\nodejs";C:\\bin',
    PATHEXT: ".EXE;.CMD",
    ComSpec: "C:\\W\\cmd.exe",
  },
  cwd: "C:\\work",
  isFile: (path) => files.includes(path),
});

/**
 * Reads a line like cmd.exe: a caret escapes the next character, and operators outside quotes end the
 * command.
 */
const readByCmd = (line: string): { readonly text: string; readonly isCut: boolean } => {
  let [text, isQuoted, isCut] = ["", false, false];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] as string;
    if (letter === "^" && !isQuoted) {
      at += 1;
      text += line[at] ?? "";
      continue;
    }
    if (letter === '"') isQuoted = !isQuoted;
    if (!isQuoted && /[&|<>]/.test(letter)) isCut = true;
    text += letter;
  }
  return { text, isCut };
};

/** Splits a line into arguments as a Windows program does. */
const readByProgram = (line: string): readonly string[] => {
  const words: string[] = [];
  const word = /\s*((?:[^\s"]|"(?:\\*[^"\\]|(?:\\\\)*\\"|\\)*?(?:\\\\)*")+)/gy;
  for (let match = word.exec(line); match !== null; match = word.exec(line)) {
    const [, raw = ""] = match;
    const inner = raw.replace(/^"([\s\S]*)"$/, "$1");
    words.push(
      inner
        .replaceAll(/(\\*)\\"/g, (_, slashes) => `${slashes.slice(slashes.length / 2)}"`)
        .replace(/(\\+)$/, (slashes) => slashes.slice(slashes.length / 2)),
    );
  }
  return words;
};

describe("programStart outside Windows", () => {
  it.each(["linux", "darwin"] as const)("starts the program as named on %s", (os) => {
    expect(programStart("npx", ["-y", "a b"], { os, env: {} })).toEqual({
      file: "npx",
      args: ["-y", "a b"],
      isVerbatim: false,
    });
  });
});

describe("programStart on Windows", () => {
  it("finds a program by PATH and PATHEXT despite other case and quoted folders", () => {
    const system = windows("C:\\bin\\op.EXE", "C:\\bin\\op.CMD");
    expect(programStart("op", ["read"], system)).toEqual({
      file: "C:\\bin\\op.EXE",
      args: ["read"],
      isVerbatim: false,
    });
  });

  it("runs a batch file with cmd.exe and without startup commands", () => {
    const { file, args, isVerbatim } = programStart(
      "npx",
      ["-y"],
      windows("C:\\Program Files\\nodejs\\npx.CMD"),
    );
    expect([file, isVerbatim]).toEqual(["C:\\W\\cmd.exe", true]);
    expect(args.slice(0, 3)).toEqual(["/d", "/s", "/c"]);
    expect(args[3]).toBe(String.raw`"C:\Program^ Files\nodejs\npx.CMD ^^^"-y^^^""`);
  });

  it("finds a program by its path, with or without extension", () => {
    const system = windows("C:\\work\\bin\\serve.CMD");
    expect(programStart(".\\bin\\serve", [], system).isVerbatim).toBe(true);
    expect(programStart("bin/serve.cmd", [], windows("C:\\work\\bin\\serve.cmd")).isVerbatim).toBe(true);
  });

  it("does not take a bare name from the current folder", () => {
    expect(programStart("npx", [], windows("C:\\work\\npx.CMD"))).toMatchObject({
      file: "npx",
      isVerbatim: false,
    });
  });

  it("leaves an unknown program to the system, which reports the error", () => {
    expect(programStart("nothing", ["a"], windows())).toEqual({
      file: "nothing",
      args: ["a"],
      isVerbatim: false,
    });
  });

  it.each([
    "plain",
    "two words",
    "",
    'a "quoted" word',
    "back\\slash\\",
    'both \\" of them',
    "a&calc",
    'a" & calc & "',
    "%PATH%",
    "!x! ^caret (p) [b] a,b;c *?",
    "a|b>c<d",
  ])("passes %j as one argument, even when the batch file forwards it", (argument) => {
    const { args } = programStart("npx", [argument], windows("C:\\tools\\npx.CMD"));
    // cmd.exe removes the outer quotes because of /s /c.
    const first = readByCmd((args[3] ?? "").slice(1, -1));
    expect(first.isCut).toBe(false);
    const handedOn = first.text.slice("C:\\tools\\npx.CMD ".length);
    const second = readByCmd(handedOn);
    expect(second.isCut).toBe(false);
    expect(readByProgram(second.text)).toEqual([argument]);
  });

  it("accepts an argument of a million backslashes without delay", () => {
    const { args } = programStart("npx", ["\\".repeat(1_000_000)], windows("C:\\tools\\npx.CMD"));
    expect(args[3]).toHaveLength('"C:\\tools\\npx.CMD ^^^"^^^""'.length + 2_000_000);
  });

  it("rejects a line break in an argument of a batch file, since it would start another command", () => {
    expect(() => programStart("npx", ["a\r\ncalc"], windows("C:\\tools\\npx.CMD"))).toThrow("line break");
  });
});
