import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { expect, it, onTestFinished } from "vitest";
import { grantsOf } from "../../../src/skills/files/grants.ts";
import { readFile } from "../../../src/skills/files/read-file.ts";
import { fileWorld } from "../../kit/file-world.ts";
import { skillSettings } from "../../kit/skill-settings.ts";

it.each(["linux", "darwin"] as const)("a named pipe is not read (as on %s)", async (os) => {
  const world = fileWorld();
  onTestFinished(() => world[Symbol.dispose]());
  execFileSync("mkfifo", [join(world.root, "pipe")]);
  const files = { read: [world.root], write: [world.root], hidden: true };
  const grants = grantsOf(skillSettings({ files }), "read", os);
  const result = await Effect.runPromise(Effect.result(readFile({ path: "pipe" }, grants, 1_000)));
  expect(result).toMatchObject({ _tag: "Failure", failure: { failure: { ran: false } } });
});
