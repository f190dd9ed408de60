import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fixture, haft } from "../../cli/haft.ts";
import { record, seed } from "../../cli/seed.ts";
import { start } from "./start.ts";

const main = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

/** Runs a shell script that pipes haft into a reader that exits early. */
const shell = (script: string, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly out: string; readonly error: string }>((done) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn("bash", ["-c", `haft() { "$NODE" "$MAIN" "$@"; }; ${script}`], {
      env: { PATH, NODE_COMPILE_CACHE, NODE_NO_WARNINGS: "1", NODE: process.execPath, MAIN: main, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const texts = { out: "", error: "" };
    child.stdout.on("data", (chunk) => {
      texts.out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      texts.error += chunk;
    });
    child.on("close", (code) => done({ code, ...texts }));
  });

describe("a pipe whose reader exits early", () => {
  it("does not end a run in the middle of a tool", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-pipe-"));
    const counter = join(folder, "counter.txt");
    const env = {
      HAFT_LEDGER: `sqlite:${join(folder, "ledger.db")}`,
      COUNTER: counter,
      AGENT: fixture("slow.ts"),
    };
    const { out } = await shell(
      `{ haft run "$AGENT" "Send letter 5" --trace 2>&1; echo "$?" > "$COUNTER.code"; } | head -1`,
      env,
    );
    expect(out).not.toContain("EPIPE");
    expect(await readFile(`${counter}.code`, "utf8")).toBe("0\n");
    expect(await readFile(counter, "utf8")).toBe("5 begun\n5 done\n");
    const { out: kept } = await haft(["log", "--json", "--tool", "send_slowly", "--ledger", env.HAFT_LEDGER]);
    expect(JSON.parse(kept)).toMatchObject({ ending: "executed" });
  });

  it("ends a read-only command with exit code 0 and no EPIPE error", async () => {
    const place = await seed(async (ledger) => {
      for (let count = 1; count <= 400; count++) await record(ledger, count, {}, { result: "x".repeat(900) });
    });
    const folder = await mkdtemp(join(tmpdir(), "haft-pipe-"));
    const env = { HAFT_LEDGER: place, CODE: join(folder, "code") };
    for (const words of ["log -n 400", "log --export -", "log -n 400 --json"]) {
      const { error } = await shell(`{ haft ${words}; echo "$?" > "$CODE"; } | head -1 > /dev/null`, env);
      expect([words, error.includes("EPIPE"), await readFile(env.CODE, "utf8")]).toEqual([
        words,
        false,
        "0\n",
      ]);
    }
  });
});

it("haft log -f and --export end with exit code 0 when standard output is closed", async () => {
  const place = await seed((ledger) => record(ledger, 1));
  const gone = new AbortController();
  const wait = async () => gone.abort();
  const { code, error } = await haft(["log", "-f", "--ledger", place], { unread: gone.signal, wait });
  expect([code, error]).toEqual([0, ""]);
  const exported = await haft(["log", "--export", "-", "--ledger", place], { unread: gone.signal });
  expect([exported.code, exported.error]).toEqual([0, ""]);
});

describe("haft in its own process", () => {
  it("explains the second Ctrl-C when the first does not end it at once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-stop-"));
    const { child, ended } = start(["run", fixture("slow.ts"), "Send letter 5"], {
      cwd: folder,
      env: { HAFT_LEDGER: "memory", COUNTER: join(folder, "counter.txt"), DEAF: "1" },
    });
    child.stderr.on("data", (text) => {
      if (String(text).includes("under way")) child.kill("SIGINT");
      if (String(text).includes("Ctrl-C again")) child.kill("SIGINT");
    });
    const { code, error } = await ended;
    expect([code, error]).toEqual([130, expect.stringContaining("Press Ctrl-C again")]);
    expect(existsSync(join(folder, "counter.txt"))).toBe(true);
  });

  it.each(["haft.config.ts", "haft.config.mjs"])("names the line of a syntax error in %s", async (name) => {
    const folder = await mkdtemp(join(tmpdir(), "haft-broken-"));
    await writeFile(join(folder, name), "export default {\n  env: 1,\n  oops oops\n};\n");
    const { code, error } = await start(["tools"], { cwd: folder }).ended;
    expect(code).toBe(2);
    expect(error).toMatch(
      new RegExp(`configuration ${name.replaceAll(".", "\\.")} cannot be loaded, line 3: `),
    );
  });
});
