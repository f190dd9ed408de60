import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UIMessage } from "ai";
import { expect, it, onTestFinished } from "vitest";
import { openLedger } from "../../../src/exports/ledger.ts";
import { bundleProgram } from "../kit/bundle-program.ts";

const startChat = async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-use-chat-killed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const program = await bundleProgram(new URL("../chats/use-chat-server.ts", import.meta.url), folder);
  let server: ChildProcess | undefined;
  let address = "";
  const stop = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    await gone;
  };
  onTestFinished(stop);
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    await stop();
    const env = { ...process.env, CHAT_FOLDER: folder, ...more };
    server = spawn(process.execPath, ["--no-warnings", program, folder, "0"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(server.stdout!, "data");
    address = `http://127.0.0.1:${String(line).trim()}/api/chat`;
  };
  const post = async (id: string, text: string): Promise<string> => {
    const message = { id, role: "user", parts: [{ type: "text", text }] };
    const response = await fetch(address, { method: "POST", body: JSON.stringify({ id: "c", message }) });
    return response.text();
  };
  const load = async (): Promise<UIMessage[]> => {
    const response = await fetch(`${address}?id=c`);
    return (await response.json()) as UIMessage[];
  };
  const approve = async (): Promise<void> => {
    const admin = await openLedger(`sqlite:${join(folder, "chat.db")}`);
    const [request] = await admin.approvals({ status: "waiting" });
    await admin.answer(request!.id, { kind: "allow" }, { by: "grace" });
    await admin.end();
  };
  return { start, post, load, approve };
};

it("a message survives when the server is killed while it runs an approved call before the answer", async () => {
  const { start, post, load, approve } = await startChat();
  await start();
  await post("u1", "Mail bob");
  await approve();
  await start({ DIE_AFTER_SENDING: "1" });
  await expect(post("u2", "Are you there?")).rejects.toThrow();
  await start();
  expect((await load()).map(({ id, role }) => (role === "user" ? id : role))).toEqual([
    "u1",
    "assistant",
    "u2",
  ]);
  const answer = await post("u2", "Are you there?");
  expect(answer).toContain("Mails so far");
  expect(JSON.stringify(await load())).toContain("was running when its process ended");
});
