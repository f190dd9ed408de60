import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, type HaftOptions, tool } from "haft";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const secret = "k3y-that-nobody-asked-for";
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-configured-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** A tool that knows the secret without requesting it. */
const echo = tool({
  name: "echo",
  description: "Says it",
  input: { type: "object", properties: {} } as const,
  annotations: { readOnly: true },
  run: () => `it is ${secret}`,
});

const toldBy = async (credentials: HaftOptions["credentials"]): Promise<string> => {
  await using haft = await Haft.open({
    tools: [echo],
    principal: { agent: "a", allow: ["*"] },
    ...(credentials === undefined ? {} : { credentials }),
  });
  const [reply] = await haft.turn([{ id: "1", tool: "echo", input: {} }]);
  return `${reply?.text} ${JSON.stringify(await haft.log())}`;
};

const put = async (name: string, mode = 0o600): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, `${secret}\n`);
  await chmod(path, mode);
  return path;
};

describe("a configured secret is masked before it is first requested", () => {
  it("if it is in a named variable", async () => {
    vi.stubEnv("OWN_KEY", secret);
    expect(await toldBy({ env: { OWN_KEY: "key" } })).not.toContain(secret);
  });

  it("if it is in a variable with the prefix", async () => {
    vi.stubEnv("OWN_SECRET_KEY", secret);
    expect(await toldBy({ sources: [{ env: "OWN_SECRET_" }] })).not.toContain(secret);
  });

  it("if it is in a named file, a directory, or a directory mounted by a container", async () => {
    expect(await toldBy({ file: { key: await put("key") } })).not.toContain(secret);
    expect(await toldBy({ file: folder })).not.toContain(secret);
    await put("key", 0o444);
    expect(await toldBy([{ file: folder, sharedFiles: true }])).not.toContain(secret);
  });

  it("and an unreadable file does not prevent the runtime from opening", async () => {
    await mkdir(join(folder, "inner"));
    await put("open", 0o666);
    expect(await toldBy({ file: folder })).toContain(secret);
    expect(await toldBy({ file: join(folder, "none") })).toContain(secret);
  });

  it("but an unconfigured variable is not masked", async () => {
    vi.stubEnv("OTHER_KEY", secret);
    expect(await toldBy({ env: "OWN_SECRET_" })).toContain(secret);
  });
});
