import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { start } from "./start.ts";

const complete = (script: string, words: readonly string[]): readonly string[] => {
  const code = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _haft; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", code, "bash", ...words], { encoding: "utf8" })
    .trim()
    .split("\n");
};

it("bash completes commands of two words, and the options of the longest command that matches", async () => {
  const { out } = await start(["completion", "bash"], {}).ended;
  expect(complete(out, ["haft", "runs", ""])).toEqual(expect.arrayContaining(["give-up", "--since"]));
  expect(complete(out, ["haft", "runs", "give-up", "--"])).toContain("--by");
  expect(complete(out, ["haft", "runs", "give-up", "--"])).not.toContain("--since");
  expect(complete(out, ["haft", "run", "--max"])).toEqual(["--max-turns"]);
  expect(complete(out, ["haft", "mcp", ""])).toEqual(["discover", "add", "remove", "list", "show"]);
});
