import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as TestClock from "effect/testing/TestClock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CredentialStore, credentials } from "../../../src/base/credentials/credentials.ts";
import { runSecretCommand } from "../../../src/base/credentials/secrets/run-secret-command.ts";
import type { CredentialsError } from "../../../src/types/errors.ts";
import { waitFor } from "../../kit/wait-for.ts";

const canary = "canary-5e11-secret";
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-secrets-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const put = async (name: string, content: string | Uint8Array, mode = 0o600): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
};

const handedOut = (store: CredentialStore, name: string): Promise<string> =>
  Effect.runPromise(Effect.map(store.secret(name), Redacted.value));

const errorOf = (store: CredentialStore, name: string): Promise<CredentialsError> =>
  Effect.runPromise(Effect.flip(store.secret(name)));

/** A command that runs the given JavaScript code. */
const script = (code: string, ...rest: string[]): string[] => [process.execPath, "-e", code, "--", ...rest];

describe("secret command", () => {
  it("returns its output without one trailing line break", async () => {
    const argv = { weather: script(`console.log(${JSON.stringify(canary)})`) };
    expect(await handedOut(credentials({ command: { argv } }), "weather")).toBe(canary);
  });

  it("passes arguments without a shell", async () => {
    const evil = "a; echo PWNED; $(id) `id` > out";
    const argv = (name: string) => script("process.stdout.write(process.argv.at(-1))", name);
    expect(await handedOut(credentials({ command: { argv } }), evil)).toBe(evil);
  });

  it("sees only PATH, HOME and the named environment variables", async () => {
    vi.stubEnv("OTHER_SECRET", canary);
    vi.stubEnv("VAULT_ADDR", "https://vault.example");
    const argv = { names: script("console.log(Object.keys(process.env).sort().join())") };
    const names = await handedOut(
      credentials({ command: { argv, env: ["VAULT_ADDR", "NOT_SET"] } }),
      "names",
    );
    expect(names.split(",").filter((name) => !name.startsWith("__CF"))).toEqual([
      "HOME",
      "PATH",
      "VAULT_ADDR",
    ]);
  });

  it("runs once for concurrent requests, and again after its cache time", async () => {
    const log = join(folder, "runs");
    const argv = {
      a: script(`require("fs").appendFileSync(${JSON.stringify(log)}, "x"); console.log("canary-a")`),
    };
    const runs = async () => (await import("node:fs/promises")).readFile(log, "utf8");
    const store = credentials({ command: { argv, cacheMs: 1_000 } });
    const together = Effect.all(
      Array.from({ length: 50 }, () => store.secret("a")),
      { concurrency: "unbounded" },
    );
    await Effect.gen(function* () {
      yield* together;
      expect(yield* Effect.promise(runs)).toBe("x");
      yield* TestClock.adjust(999);
      yield* store.secret("a");
      expect(yield* Effect.promise(runs)).toBe("x");
      yield* TestClock.adjust(1);
      yield* together;
      expect(yield* Effect.promise(runs)).toBe("xx");
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise);
  });

  it.each([
    [
      "exits with an error",
      script(`console.error("${canary}"); console.log("${canary}"); process.exit(3)`),
      "ended with code 3",
    ],
    ["prints too much", script(`process.stdout.write("${canary}".repeat(9999))`), "printed more than 64 KiB"],
    ["does not exist", ["/nowhere/pass", canary], "does not exist"],
    ["is an empty list", [], "is not a list of a program and its arguments"],
    ["is a shell command line", "pass show" as never, "is not a list of a program and its arguments"],
  ])("reports secret_missing without its output when it %s", async (_, argv, why) => {
    const error = await errorOf(credentials({ command: { argv: { weather: argv } } }), "weather");
    expect(error).toMatchObject({ code: "secret_missing" });
    expect(error.message).toContain(why);
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error.failure)).not.toContain(canary);
  });

  it("gets an empty standard input, and is stopped at its timeout", async () => {
    const waits = script("process.stdin.on('end', () => console.log('canary-end')).resume()");
    expect(await handedOut(credentials({ command: { argv: { a: waits } } }), "a")).toBe("canary-end");
    const stopped = runSecretCommand(script("setInterval(() => {}, 1000)"), { env: [], timeoutMs: 50 });
    await expect(stopped).rejects.toThrow("did not finish within 0.05 seconds");
  });

  it("leaves no child process behind when it is stopped", async () => {
    const pidFile = join(folder, "pid");
    const grandchild = "setInterval(() => {}, 1000)";
    const starts = script(
      `const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" });
       require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
       process.stdout.write("x".repeat(70_000)); setInterval(() => {}, 1000)`,
    );
    const stopped = runSecretCommand(starts, { env: [], timeoutMs: 60_000 });
    await expect(stopped).rejects.toThrow("printed more than 64 KiB");
    const pid = Number(await readFile(pidFile, "utf8"));
    await waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  });

  it("runs again at the next use after a failure", async () => {
    const path = join(folder, "late");
    const argv = {
      late: script(`process.stdout.write(require("fs").readFileSync(${JSON.stringify(path)}))`),
    };
    const store = credentials({ command: { argv } });
    await errorOf(store, "late");
    await put("late", canary);
    expect(await handedOut(store, "late")).toBe(canary);
  });
});
