import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { afterAll, describe, expect, it } from "vitest";
import { probeBubblewrap } from "../../../../src/sandbox/bubblewrap/probe-bubblewrap.ts";
import {
  runSandboxedCommand,
  type SandboxedCommandOptions,
  type SandboxedCommandResult,
} from "../../../../src/sandbox/bubblewrap/run-sandboxed-command.ts";
import { waitFor } from "../../../kit/wait-for.ts";

const probed = await Effect.runPromiseExit(probeBubblewrap);
const reason = Exit.isSuccess(probed) ? "" : " (skipped: bubblewrap is missing or does not isolate programs)";

const folder = mkdtempSync(join(tmpdir(), "haft-command-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const run = (argv: readonly string[], options?: SandboxedCommandOptions): Promise<SandboxedCommandResult> =>
  Effect.runPromise(runSandboxedCommand(argv, options));
const shell = (script: string, options?: SandboxedCommandOptions): Promise<SandboxedCommandResult> =>
  run(["/bin/sh", "-c", script], options);

describe.skipIf(reason !== "")(`command in bubblewrap${reason}`, () => {
  it("receives its arguments and input unchanged, and its exit code is returned", async () => {
    const odd = "a; echo PWNED; $(id) 'x' \"y\"\n*";
    const printed = await run(["/bin/sh", "-c", 'printf %s "$1"; cat; echo no >&2; exit 3', "sh", odd], {
      stdin: "-in",
    });
    expect([text(printed.stdout), text(printed.stderr), printed.code]).toEqual([`${odd}-in`, "no\n", 3]);
  });

  it("sees no outside files, environment variables or accounts, and cannot write to the system", async () => {
    const canary = join(folder, "canary");
    writeFileSync(canary, "outside");
    process.env.HAFT_CANARY = "x";
    const { stdout } = await shell(
      `cat ${canary} /etc/passwd '${process.cwd()}/package.json'; ls /root /home; touch /usr/x; env; ls -A`,
    );
    delete process.env.HAFT_CANARY;
    expect(
      text(stdout)
        .split("\n")
        .filter((line) => !/^(PATH|HOME|LANG|PWD|_|OLDPWD|SHLVL)=/.test(line)),
    ).toEqual([""]);
  });

  it("reads its readable folders and writes only to its writable ones", async () => {
    const [read, write] = [mkdtempSync(join(folder, "r")), mkdtempSync(join(folder, "w"))];
    writeFileSync(join(read, "a"), "seen");
    const result = await shell(`cat ${read}/a > b; echo x > ${read}/c; pwd`, {
      readOnly: [read],
      writable: [write],
      cwd: write,
    });
    expect(text(result.stdout)).toBe(`${write}\n`);
    expect(text(result.stderr)).toContain("Read-only file system");
    expect(readFileSync(join(write, "b"), "utf8")).toBe("seen");
  });

  it("reaches no local port without network access", async () => {
    const server = createServer((socket) => socket.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const connect = [
      process.execPath,
      "-e",
      `require("node:net").connect(${port}, "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`,
    ];
    const reported = await Promise.all(
      [false, true].map((network) => run(connect, { network, readOnly: [process.execPath] })),
    );
    server.close();
    expect(reported.map(({ stdout }) => text(stdout).trim())).toEqual(["ECONNREFUSED", "hello"]);
  });

  it("is ended with its child processes after its wall time", async () => {
    const nap = `30.${process.pid}77`;
    const result = await shell(`sleep ${nap} & sleep ${nap}`, { limits: { wallMs: 300 } });
    expect(result).toMatchObject({ stoppedBy: "time", code: null });
    await waitFor(async () => expect(await isRunning(nap)).toBe(false));
  });

  it("is ended at its CPU limit and its file size limit", async () => {
    expect(await shell("while :; do :; done", { limits: { cpuMs: 200 } })).toMatchObject({
      stoppedBy: "cpu",
    });
    const big = "exec head -c 2000000 /dev/zero > big";
    expect(await shell(big, { limits: { fileBytes: 1_000_000 } })).toMatchObject({ stoppedBy: "files" });
  });

  it("is ended at its process limit and its memory limit", async () => {
    const bomb = "f() { sleep 20 & f; }; f";
    expect(await shell(bomb, { limits: { processes: 20 } })).toMatchObject({ stoppedBy: "processes" });
    const greedy = "a=0123456789; while :; do a=$a$a; done";
    const hungry = await shell(greedy, { limits: { memoryBytes: 50_000_000 } });
    expect([hungry.stoppedBy === "memory", hungry.code !== 0]).toContain(true);
  });

  it("has its output cut, and is ended when the output does not stop", async () => {
    const some = await shell("head -c 30000 /dev/zero; echo", { limits: { outputBytes: 1_000 } });
    expect([some.stdout.length, some.isCut, some.stoppedBy]).toEqual([1_000, true, undefined]);
    const flood = await shell("cat /dev/zero", { limits: { outputBytes: 1_000 } });
    expect([flood.stdout.length, flood.stoppedBy]).toEqual([1_000, "output"]);
  });

  it("has its background processes ended with it", async () => {
    const nap = `30.${process.pid}88`;
    expect(await shell(`setsid sleep ${nap} & exit 0`)).toMatchObject({ code: 0 });
    await waitFor(async () => expect(await isRunning(nap)).toBe(false));
  });

  it("is ended at once when it is interrupted", async () => {
    const nap = `30.${process.pid}99`;
    const fiber = Effect.runFork(runSandboxedCommand(["sleep", nap]));
    await waitFor(async () => expect(await isRunning(nap)).toBe(true));
    await Effect.runPromise(Fiber.interrupt(fiber));
    await waitFor(async () => expect(await isRunning(nap)).toBe(false));
  });

  it("receives loader variables that do not affect the sandbox", async () => {
    const { stdout, stderr } = await run(["/usr/bin/env"], {
      env: { LD_PRELOAD: "/nowhere.so", TOKEN: "t", PATH: "/bin" },
    });
    expect(text(stdout)).toContain("LD_PRELOAD=/nowhere.so");
    expect(text(stdout)).toContain("TOKEN=t");
    // The loader complains once per program that it loads: prlimit and env, but not bwrap.
    expect(
      text(stderr)
        .split("\n")
        .filter((line) => line.includes("/nowhere.so")),
    ).toHaveLength(2);
  });
});

const isRunning = (nap: string): boolean => {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`sleep\0${nap}`);
    } catch {
      return false;
    }
  });
};

it("runSandboxedCommand rejects invalid commands and folders", async () => {
  const refusal = async (argv: readonly string[], options?: SandboxedCommandOptions) =>
    (await Effect.runPromise(Effect.flip(runSandboxedCommand(argv, options)))).message;
  expect(await refusal([])).toContain("The command is empty");
  expect(await refusal(["a\0b"])).toContain("NUL");
  expect(await refusal(["ls"], { readOnly: ["/"] })).toContain("list only the folders");
  expect(await refusal(["ls"], { writable: ["/proc/self"] })).toContain("always provided by the sandbox");
  expect(await refusal(["ls"], { readOnly: ["src"] })).toContain("not an absolute path");
  expect(await refusal(["ls"], { cwd: folder })).toContain("the sandbox does not allow this folder");
  expect(await refusal(["ls"], { cwd: `${folder}-other`, readOnly: [folder] })).toContain("cannot start in");
});
