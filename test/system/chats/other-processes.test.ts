import type { UIMessageChunk } from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  chatScene,
  openChatPage,
  readChunks,
  readUiMessage,
  withApprovalResponse,
} from "../../kit/chat-scene.ts";
import { pacedModel } from "../../kit/paced-model.ts";
import { calls, says, scriptedModel } from "../../kit/scripted-model.ts";
import { newSessionLedger } from "../../kit/session-scene.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const gate = () => Promise.withResolvers<void>();
const world = usePostgres();

afterEach(() => void vi.unstubAllEnvs());

const places = [
  ["SQLite", async () => newSessionLedger()],
  [
    "PostgreSQL",
    async () => {
      vi.stubEnv("HAFT_LEDGER_KEY", "0123456789abcdef".repeat(4));
      return await world.freshSchema();
    },
  ],
] as const;

describe.each(places)("servers that share a ledger in %s", (_, place) => {
  it("continue a chat that another server began, with its history and grants", async () => {
    const { open, refunds } = chatScene();
    const ledger = await place();
    const model = scriptedModel([
      calls(["refund", { id: "7" }]),
      says("Done."),
      calls(["refund", { id: "8" }]),
      says("Again."),
    ]);
    const one = await open(model, { ledger });
    const other = await open(model, { ledger });
    const [first, second] = [openChatPage(one.handle), openChatPage(other.handle)];
    const asked = await readUiMessage(await first.say("c", "m1", "Refund 7."));
    const answered = withApprovalResponse(asked, true);
    const body = { id: "c", messages: [answered], always: "session" };
    expect((await (await second.post("", body)).text()).endsWith("data: [DONE]\n\n")).toBe(true);
    expect(refunds).toEqual(["7"]);
    await readUiMessage(await first.say("c", "m2", "And 8."));
    expect(refunds).toEqual(["7", "8"]);
    expect(await second.show("c")).toEqual(await first.show("c"));
    expect(await (await second.fetch("")).json()).toMatchObject({ chats: [{ id: "c", title: "Refund 7." }] });
    expect((await second.fetch("/c", { method: "DELETE" })).status).toBe(204);
    expect((await first.fetch("/c")).status).toBe(404);
  });

  it("stream the answer of another server message by message and refuse a second answer meanwhile", async () => {
    const { open } = chatScene();
    const ledger = await place();
    const last = gate();
    const call = { id: "call-1", tool: "find_order", input: '{"id":"7"}', index: 0 };
    const model = pacedModel([[call], [last.promise, "It was 12."]]);
    const one = await open(model, { ledger });
    const other = await open(model, { ledger });
    const [first, second] = [openChatPage(one.handle), openChatPage(other.handle)];
    const written = readUiMessage(await first.say("c", "m1", "Order 7?"));
    const seen: string[] = [];
    for await (const chunk of (await second.resume("c")) as unknown as AsyncIterable<UIMessageChunk>) {
      seen.push(chunk.type);
      if (chunk.type !== "tool-output-available") continue;
      await expect(second.say("c", "m2", "Hurry!")).rejects.toThrow(/"busy"/);
      expect((await second.post("/c/stop")).status).toBe(409);
      last.resolve();
    }
    expect(seen.at(-1)).toBe("finish");
    expect(seen).toContain("text-delta");
    expect(model.requests).toHaveLength(2);
    expect((await second.show("c"))[1]).toEqual(await written);
  });

  it("record an approval made outside the chat, and resume it when the page reconnects", async () => {
    const { open, refunds } = chatScene();
    const ledger = await place();
    const one = await open(scriptedModel([calls(["refund", { id: "7" }]), says("Done.")]), { ledger });
    const other = await open(pacedModel([]), { ledger });
    const page = openChatPage(one.handle);
    await readUiMessage(await page.say("c", "m1", "Refund 7."));
    const ada = other.haft.as({ agent: "desk", user: "ada", session: "c", allow: ["*"] });
    const [question] = await ada.approvals({ status: "waiting" });
    const kept = await ada.resume(question!.id, { kind: "allow" }, { by: "boss" });
    expect(kept.text).toContain('when its chat "c" continues');
    expect(refunds).toEqual([]);
    const answer = await readUiMessage(await page.resume("c"));
    expect(refunds).toEqual(["7"]);
    expect(answer.parts.at(-1)).toMatchObject({ text: "Done." });
    expect((await page.show("c"))[1]).toEqual(answer);
  });

  it("keep streaming to a page at one server after an approver answers at another", async () => {
    const { open, refunds } = chatScene();
    const ledger = await place();
    const last = gate();
    const call = { id: "call-1", tool: "refund", input: '{"id":"7"}', index: 0 };
    const model = pacedModel([[call], ["Done, ", last.promise, "and told."]]);
    const approver = (request: Request) => request.headers.get("x-boss") ?? undefined;
    const one = await open(model, { ledger, handler: { approver } });
    const other = await open(model, { ledger, handler: { approver } });
    const [ada, boss] = [openChatPage(one.handle), openChatPage(other.handle)];
    const seen: UIMessageChunk[] = [];
    let answered: Promise<string> | undefined;
    for await (const chunk of (await ada.say(
      "c",
      "m1",
      "Refund 7.",
    )) as unknown as AsyncIterable<UIMessageChunk>) {
      seen.push(chunk);
      if (chunk.type === "data-approval" && answered === undefined) {
        const part = {
          type: "tool-refund",
          toolCallId: "call-1",
          state: "approval-responded",
          approval: { id: chunk.id, approved: true },
        };
        const body = JSON.stringify({
          id: "c",
          messages: [{ id: "m1-answer", role: "assistant", parts: [part] }],
        });
        const headers = { "content-type": "application/json", "x-boss": "boss" };
        answered = boss.fetch("", { method: "POST", headers, body }).then((response) => response.text());
      }
      if (chunk.type === "tool-output-available") last.resolve();
    }
    expect(await answered).toContain("[DONE]");
    expect(refunds).toEqual(["7"]);
    expect(seen.map(({ type }) => type)).not.toContain("abort");
    expect(seen.at(-1)?.type).toBe("finish");
    expect(JSON.stringify(seen)).toContain("and told.");
  });

  it("stop writing a chat that another server deleted", async () => {
    const { open } = chatScene();
    const ledger = await place();
    const last = gate();
    const one = await open(pacedModel([["Well, ", last.promise, "this is lost."]]), {
      ledger,
      handler: { onError: () => {} },
    });
    const other = await open(pacedModel([]), { ledger });
    const [first, second] = [openChatPage(one.handle), openChatPage(other.handle)];
    const written = readChunks(await first.say("c", "m1", "Hello"));
    expect((await second.fetch("/c", { method: "DELETE" })).status).toBe(204);
    last.resolve();
    expect((await written).map(({ type }) => type)).not.toContain("finish");
    expect((await first.fetch("/c")).status).toBe(404);
  });
});

it("a chat fails with a hint to HAFT_LEDGER_KEY when the ledger keeps no exact texts", async () => {
  const received: unknown[] = [];
  const { open } = chatScene();
  const ledger = await world.freshSchema();
  const { handle } = await open(pacedModel([["Hello."]]), {
    ledger,
    handler: { onError: (error) => void received.push(error) },
  });
  await expect(openChatPage(handle).say("c", "m1", "Hello")).rejects.toThrow(/"internal_error"/);
  expect(String(received[0])).toContain("HAFT_LEDGER_KEY");
});
