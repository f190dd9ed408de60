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

/** A program that prints what its code says. */
const script = (code: string, ...rest: string[]): string[] => [process.execPath, "-e", code, "--", ...rest];

describe("a secret of a command", () => {
  it("is what it prints, less one line break", async () => {
    const argv = { weather: script(`console.log(${JSON.stringify(canary)})`) };
    expect(await handedOut(credentials({ command: { argv } }), "weather")).toBe(canary);
  });

  it("is asked for with arguments that no shell reads", async () => {
    const evil = "a; echo PWNED; $(id) `id` > out";
    const argv = (name: string) => script("process.stdout.write(process.argv.at(-1))", name);
    expect(await handedOut(credentials({ command: { argv } }), evil)).toBe(evil);
  });

  it("comes from a program that sees PATH, HOME and what is named, and nothing else", async () => {
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

  it("is asked for once by many at the same time, and again when its time is over", async () => {
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
      "ends badly",
      script(`console.error("${canary}"); console.log("${canary}"); process.exit(3)`),
      "ended with code 3",
    ],
    ["prints too much", script(`process.stdout.write("${canary}".repeat(9999))`), "printed more than 64 KiB"],
    ["does not exist", ["/nowhere/pass", canary], "does not exist"],
    ["is an empty list", [], "is no list of a program and its arguments"],
    ["is a line for a shell", "pass show" as never, "is no list of a program and its arguments"],
  ])("that %s is missing, and nothing it said is shown", async (_, argv, why) => {
    const error = await errorOf(credentials({ command: { argv: { weather: argv } } }), "weather");
    expect(error).toMatchObject({ code: "secret_missing" });
    expect(error.message).toContain(why);
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error.failure)).not.toContain(canary);
  });

  it("that waits for an input gets its end, and one that never ends is stopped", async () => {
    const waits = script("process.stdin.on('end', () => console.log('canary-end')).resume()");
    expect(await handedOut(credentials({ command: { argv: { a: waits } } }), "a")).toBe("canary-end");
    const stopped = runSecretCommand(script("setInterval(() => {}, 1000)"), { env: [], timeoutMs: 50 });
    await expect(stopped).rejects.toThrow("did not end within 0.05 seconds");
  });

  it("that is stopped leaves nobody behind whom it started", async () => {
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

  it("that failed is run again at the next use", async () => {
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
