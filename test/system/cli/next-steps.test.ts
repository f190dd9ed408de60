import { execFileSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, haft } from "../../cli/haft.ts";

const teller = fixture("teller.ts");

const scratch = async () => {
  const folder = await mkdtemp(join(tmpdir(), "haft next's "));
  return { folder, place: `sqlite:${join(folder, "ledger.db")}` };
};

/** Parses a printed line as a POSIX shell does and returns the words after `haft`. */
const pasted = (printed: string, begin: string): readonly string[] => {
  const line = printed.split("\n").find((each) => each.includes(begin)) ?? "";
  const command = line.slice(line.indexOf("haft "));
  const script = `haft() { for each in "$@"; do printf '%s\\0' "$each"; done; }; ${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
};

describe("printed next steps", () => {
  it("of haft run can be pasted: they repeat its options, quoted for a shell", async () => {
    const { place } = await scratch();
    const run = [
      "run",
      teller,
      "Pay 5",
      "-t",
      teller,
      "--allow",
      "pay",
      "--allow",
      "bal*",
      "--as",
      "desk one",
    ];
    const asked = await haft([...run, "--session", "s1", "--model", "offline", "--ledger", place]);
    expect(asked.code).toBe(3);
    const approve = pasted(asked.error, "Answer with");
    expect(approve.slice(2)).toEqual(["--ledger", place]);
    expect((await haft(approve)).code).toBe(0);
    const done = await haft(pasted(asked.error, "Then resume"));
    expect([done.code, done.out]).toEqual([0, expect.stringContaining("paid 5")]);
  });

  it("of haft call can be pasted, and name no agent", async () => {
    const { place, folder } = await scratch();
    const config = join(folder, "own config.mjs");
    await writeFile(config, "export default {};");
    const asked = await haft(["call", "pay", '{"amount":6}', "-t", teller, "-c", config, "--ledger", place]);
    expect((await haft(pasted(asked.error, "Answer with"))).code).toBe(0);
    const resume = pasted(asked.error, "Then resume");
    expect(resume.slice(2)).toEqual(["--tools", teller, "--config", config, "--ledger", place]);
    expect(await haft(resume)).toMatchObject({ code: 0, out: "paid 6\n" });
  });
});
