import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const engineFile = new URL("../../../src/sandbox/quickjs/engine.ts", import.meta.url).href;

/** A process that runs programs and closes nothing. */
const program = `
  import * as Effect from "effect/Effect";
  import * as Scope from "effect/Scope";
  import { openEngine } from ${JSON.stringify(engineFile)};
  const scope = Effect.runSync(Scope.make());
  const engine = Effect.runSync(Scope.provide(openEngine({ idleMs: 600_000 }), scope));
  const run = (source) => Effect.runPromise(engine.run({ language: "typescript", source }));
  const all = await Promise.all([run("const n: number = 1; return n"), run("console.log(1); return 2")]);
  process.env.SECRET = "here";
  const seen = await run("return typeof process");
  console.log(JSON.stringify([...all, seen].map(({ ending }) => ending.value)));
`;

it("idle workers neither keep a process alive nor print to its output", async () => {
  const words = ["--input-type=module", "--eval", program];
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd, timeout: 150_000 });
  expect([stdout, stderr]).toEqual(['[1,2,"undefined"]\n', ""]);
});
