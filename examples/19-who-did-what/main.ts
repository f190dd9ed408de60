// Runs every command of the guides about this shop in an empty folder, and then their programs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { openProject } from "../page/project.ts";
import { runPages } from "../page/run-pages.ts";

const { folder, haft, json, leave } = openProject("who-did-what", new URL(".", import.meta.url));

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

try {
  const count = await runPages({
    pages: ["approvals", "audit-log", "testing"].map((name) => `guides/${name}.md`),
    haft,
    known: {
      RUN: () => json("runs")[0]?.runId ?? "",
      APPROVAL: () => json("approvals", "--status", "all")[0]?.id ?? "",
      ENTRY: () => json("log", "--tool", "refund")[0]?.entryId ?? "",
    },
  });
  assert.ok(count >= 8, "the guides have their commands");
  const env = { ...process.env, PORT: String(await freePort()) };
  for (const file of ["in-code.ts", "webhook.ts"]) {
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, env });
    assert.equal(status, 0, `${file} ends with ${status}: ${stderr}`);
  }
} finally {
  leave();
}
