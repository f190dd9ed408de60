import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { expect, it, onTestFinished } from "vitest";
import { allowedFoldersOf } from "../../../src/sandbox/skills/files/allowed-folders.ts";
import { readAllowedFile } from "../../../src/sandbox/skills/files/file-reader.ts";
import { fileSandbox } from "../../kit/file-sandbox.ts";
import { skillSettings } from "../../kit/skill-settings.ts";

it.each(["linux", "darwin"] as const)("readAllowedFile rejects a named pipe (as on %s)", async (os) => {
  const world = fileSandbox();
  onTestFinished(() => world[Symbol.dispose]());
  execFileSync("mkfifo", [join(world.root, "pipe")]);
  const files = { read: [world.root], write: [world.root], hidden: true };
  const grants = allowedFoldersOf(skillSettings({ files }), "read", os);
  const result = await Effect.runPromise(Effect.result(readAllowedFile({ path: "pipe" }, grants, 1_000)));
  expect(result).toMatchObject({ _tag: "Failure", failure: { failure: { ran: false } } });
});
