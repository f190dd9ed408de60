import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AnswerResult, ApprovalDetail, Page, Run, RunAction, RunListItem, Server } from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMcpOAuthService } from "../../kit/mcp-oauth-service.ts";
import { says, scriptedModel } from "../../kit/scripted-model.ts";
import { studioScene } from "../../kit/studio-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";

const program = fileURLToPath(new URL("dead-process.ts", import.meta.url));

/** Leaves a run whose process was lost during its second model request. */
const lostRun = async (place: string): Promise<void> => {
  const child = spawn(process.execPath, [program, place], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
};

/** The redirect of the browser after consent. */
const visited = async (url: string): Promise<string> =>
  (await fetch(url, { redirect: "manual" })).headers.get("location")!;

describe("resume from the Studio", () => {
  it("resumes a run of a killed process without repeating a call", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const ledger = `sqlite:${join(folder, "l.db")}`;
    await lostRun(ledger);
    const model = scriptedModel([says("It costs 12.")]);
    const { get, post, haft, signed } = await studioScene({ ledger, model });
    const [listed] = (await get<Page<RunListItem>>("/runs", "RunPage")).items;
    const path = `/runs/${listed!.runId}`;
    expect((await get<Run>(path, "Run")).can).toMatchObject({ resume: true, cancel: true });
    const resumed = await post<RunAction>(`${path}/resume`, {}, "RunAction");
    expect(resumed).toMatchObject({ status: 200, done: true });
    await waitFor(async () => expect((await get<Run>(path, "Run")).summary.status).toBe("done"));
    const run = await get<Run>(path, "Run");
    expect(run.spans.filter(({ kind }) => kind === "call")).toHaveLength(1);
    expect(await haft.log({ tool: "find_order" })).toHaveLength(1);
    // The ledger deletes the messages of finished runs, so the chat keeps those that it read before.
    const chat = await (await signed(`/agents/desk/chats/${listed!.runId}`)).text();
    expect(chat).toContain('"message":"Where is order 7?"');
    expect(chat).toContain('"text":"It costs 12."');
    expect(await post(`${path}/resume`, {})).toMatchObject({ status: 409 });
  });

  it("runs an edit that keeps a masked secret with the real one, and rejects an edit that moves it", async () => {
    const secret = "canary-51bb-do-not-print";
    const { haft, get, post, refunds } = await studioScene({
      ledger: "sqlite::memory:",
      credentials: { values: { canary: secret } },
    });
    const requestApproval = async (id: string): Promise<string> => {
      const [reply] = await haft.turn([{ id: `c-${id}`, tool: "refund", input: { id: secret, amount: 1 } }]);
      return reply!.pending!.id;
    };
    const first = await requestApproval("1");
    const detail = await get<ApprovalDetail>(`/approvals/${first}`, "ApprovalDetail");
    expect(JSON.stringify(detail)).not.toContain(secret);
    expect(detail.masked).toEqual(["/id"]);
    const shown = detail.value as { readonly id: string };
    const moved = await post<AnswerResult>(`/approvals/${first}/answer`, {
      decision: "edit",
      input: { id: `x${shown.id}`, amount: 2 },
    });
    expect(moved).toMatchObject({ status: 422, code: "invalid" });
    const edited = await post<AnswerResult>(`/approvals/${first}/answer`, {
      decision: "edit",
      input: { id: shown.id, amount: 2 },
    });
    expect(edited).toMatchObject({ status: 200, continuesIn: "here" });
    await waitFor(() => expect(refunds).toEqual([secret]));
  });

  it("finishes an OAuth sign-in of an MCP server with the redirect URL", async () => {
    const service = await startMcpOAuthService();
    onTestFinished(() => service.close());
    const { get, post } = await studioScene({
      mcp: { servers: { files: { url: service.url, oauth: {} } }, lock: false } as never,
      ledger: "sqlite::memory:",
    });
    expect((await get<Server>("/servers/files", "Server")).canSignIn).toBe(true);
    const { url } = await post<{ url: string }>("/servers/files/sign-in", {}, undefined);
    expect(new URL(url).origin).toBe(new URL(service.issuer).origin);
    const address = await visited(url);
    const guessed = new URL(address);
    guessed.searchParams.set("state", "guessed");
    const refused = await post("/servers/files/sign-in/finish", { redirectUrl: guessed.href });
    expect(refused.status).not.toBe(200);
    const finished = await post("/servers/files/sign-in/finish", { redirectUrl: address });
    expect(finished).toMatchObject({ status: 200, id: "files" });
    expect(service.forms.some((form) => form.get("grant_type") === "authorization_code")).toBe(true);
  });
});
