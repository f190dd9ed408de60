import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openInBrowser } from "../../../src/base/credentials/oauth/open-in-browser.ts";
import { waitFor } from "../../kit/wait-for.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-opener-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform !== "linux")("openInBrowser", () => {
  it("passes the URL to a program as one argument, without a shell", async () => {
    const opener = join(folder, "xdg-open");
    const seen = join(folder, "seen");
    await writeFile(opener, `#!/bin/sh\nprintf '%s|' "$#" "$@" > ${seen}.draft\nmv ${seen}.draft ${seen}\n`);
    await chmod(opener, 0o700);
    vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
    const url = "https://sso.example/authorize?a=1&b=$(touch%20x);`id`";
    await openInBrowser(url);
    await waitFor(async () => expect(await readFile(seen, "utf8")).toBe(`1|${new URL(url).href}|`));
  });

  it("rejects when the program does not exist", async () => {
    vi.stubEnv("PATH", folder);
    await expect(openInBrowser("https://sso.example/")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
