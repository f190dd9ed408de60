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

/** What cmd.exe makes of a line: a caret takes away the meaning of what follows, and outside of quotes operators cut. */
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

/** The words of a line as a Windows program reads them. */
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

describe("a program on a system that is not Windows", () => {
  it.each(["linux", "darwin"] as const)("is started as it is named on %s", (os) => {
    expect(programStart("npx", ["-y", "a b"], { os, env: {} })).toEqual({
      file: "npx",
      args: ["-y", "a b"],
      isVerbatim: false,
    });
  });
});

describe("a program on Windows", () => {
  it("is found by PATH and PATHEXT, whatever the case of their names and quotes around a folder", () => {
    const system = windows("C:\\bin\\op.EXE", "C:\\bin\\op.CMD");
    expect(programStart("op", ["read"], system)).toEqual({
      file: "C:\\bin\\op.EXE",
      args: ["read"],
      isVerbatim: false,
    });
  });

  it("that is a batch file is run by cmd.exe without the operator's startup commands", () => {
    const { file, args, isVerbatim } = programStart(
      "npx",
      ["-y"],
      windows("C:\\Program Files\\nodejs\\npx.CMD"),
    );
    expect([file, isVerbatim]).toEqual(["C:\\W\\cmd.exe", true]);
    expect(args.slice(0, 3)).toEqual(["/d", "/s", "/c"]);
    expect(args[3]).toBe(String.raw`"C:\Program^ Files\nodejs\npx.CMD ^^^"-y^^^""`);
  });

  it("is looked for by its path where it has one, with or without its ending", () => {
    const system = windows("C:\\work\\bin\\serve.CMD");
    expect(programStart(".\\bin\\serve", [], system).isVerbatim).toBe(true);
    expect(programStart("bin/serve.cmd", [], windows("C:\\work\\bin\\serve.cmd")).isVerbatim).toBe(true);
  });

  it("is not taken from the current folder by a bare name", () => {
    expect(programStart("npx", [], windows("C:\\work\\npx.CMD"))).toMatchObject({
      file: "npx",
      isVerbatim: false,
    });
  });

  it("that nobody finds is left to the system, which says that there is none", () => {
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
  ])("takes %j as one argument, also where its batch file hands it on", (argument) => {
    const { args } = programStart("npx", [argument], windows("C:\\tools\\npx.CMD"));
    // cmd.exe takes off the outer quotes of /s /c.
    const first = readByCmd((args[3] ?? "").slice(1, -1));
    expect(first.isCut).toBe(false);
    const handedOn = first.text.slice("C:\\tools\\npx.CMD ".length);
    const second = readByCmd(handedOn);
    expect(second.isCut).toBe(false);
    expect(readByProgram(second.text)).toEqual([argument]);
  });

  it("takes an argument of a million backslashes without delay", () => {
    const { args } = programStart("npx", ["\\".repeat(1_000_000)], windows("C:\\tools\\npx.CMD"));
    expect(args[3]).toHaveLength('"C:\\tools\\npx.CMD ^^^"^^^""'.length + 2_000_000);
  });

  it("that is a batch file refuses a line break, which would begin another command", () => {
    expect(() => programStart("npx", ["a\r\ncalc"], windows("C:\\tools\\npx.CMD"))).toThrow("line break");
  });
});
