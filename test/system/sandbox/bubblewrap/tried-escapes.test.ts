import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, describe, expect, it } from "vitest";
import { probeEscapes } from "../../../../src/sandbox/bubblewrap/probe-bubblewrap.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-escapes-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A script that replaces bwrap. */
const standIn = (name: string, script: string): string => {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
};

describe.skipIf(process.platform !== "linux")("probeEscapes", () => {
  it("reports every hole of a bwrap that isolates nothing", async () => {
    const open = standIn("open", 'while [ "$1" != "--" ]; do shift; done; shift; PATH=/nowhere exec "$@"');
    const holes = await Effect.runPromise(probeEscapes(open));
    expect(holes).toEqual(
      expect.arrayContaining([
        "read a file outside",
        "read the accounts of the machine",
        "wrote a file outside",
        "signaled a process outside",
        "reached a port outside",
      ]),
    );
  });

  it("fails with the output of a bwrap that may not create namespaces", async () => {
    const refused = standIn("refused", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
    expect(await Effect.runPromise(Effect.flip(probeEscapes(refused)))).toBe(
      "setting up uid map: Permission denied",
    );
  });

  it("fails when bwrap prints nothing or does not exist", async () => {
    expect(await Effect.runPromise(Effect.flip(probeEscapes(standIn("silent", "exit 0"))))).toBe("");
    expect(await Effect.runPromise(Effect.flip(probeEscapes("/nowhere/bwrap")))).toBe("ENOENT");
  });
});
