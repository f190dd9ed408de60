import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openInBrowser } from "./open-in-browser.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-opener-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform !== "linux")("openInBrowser", () => {
  it.each(["javascript:alert(1)", "file:///etc/passwd"])("rejects %s", async (url) => {
    await expect(openInBrowser(url)).rejects.toThrowError(/Only http/);
  });
});
