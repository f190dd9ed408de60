import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { UIMessageChunk } from "ai";
import { agent } from "haft/agent";
import { expect, it } from "vitest";
import {
  chatScene,
  openChatPage,
  principalFromHeader,
  readChunks,
  readUiMessage,
  userUiMessage,
  withApprovalResponse,
} from "../../../test/kit/chat-scene.ts";
import { pacedModel } from "../../../test/kit/paced-model.ts";
import { calls, says, scriptedModel } from "../../../test/kit/scripted-model.ts";
import { newSessionLedger } from "../../../test/kit/session-scene.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { agentHandler } from "./agent-handler.ts";

const textsIn = (chunks: readonly UIMessageChunk[]): string =>
  chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])).join("");

const gate = () => Promise.withResolvers<void>();

it("streams an answer from its beginning after a reload", async () => {
  const { open } = chatScene();
  const half = gate();
  const { handle } = await open(pacedModel([["Good ", half.promise, "day."]]));
  const page = openChatPage(handle);
  const first = (await page.say("c1", "m1", "Hello"))!.getReader();
  for (let received = ""; received !== "text-delta"; ) received = (await first.read()).value?.type ?? "";
  await first.cancel();
  const again = page.resume("c1");
  const chunks = readChunks(await again);
  half.resolve();
  expect(textsIn(await chunks)).toBe("Good day.");
  expect(await page.resume("c1")).toBeNull();
  expect((await page.show("c1"))[1]?.parts.at(-1)).toMatchObject({ text: "Good day." });
});

it("answers a message once when it is sent twice", async () => {
  const { open } = chatScene();
  const go = gate();
  const model = pacedModel([[go.promise, "Only once."]]);
  const { handle } = await open(model);
  const page = openChatPage(handle);
  const both = [page.say("c1", "m1", "Hello"), page.say("c1", "m1", "Hello")].map(async (each) =>
    readUiMessage(await each),
  );
  go.resolve();
  const [one, other] = await Promise.all(both);
  expect(one).toEqual(other);
  expect(await readUiMessage(await page.say("c1", "m1", "Hello"))).toEqual(one);
  expect(model.requests).toHaveLength(1);
});

it("refuses another message during an answer, and a changed message with the same id", async () => {
  const { open } = chatScene();
  const go = gate();
  const model = pacedModel([[go.promise, "One."], ["Two."]]);
  const { handle } = await open(model);
  const page = openChatPage(handle);
  const one = readUiMessage(await page.say("c1", "m1", "First"));
  await expect(page.say("c1", "m2", "Second")).rejects.toThrow(/"busy"/);
  go.resolve();
  await one;
  await expect(page.say("c1", "m1", "Other words")).rejects.toThrow(/"message_changed"/);
  expect(await readUiMessage(await page.say("c1", "m2", "Second"))).toMatchObject({ id: "m2-answer" });
});

it("keeps the text of a stopped answer and continues the chat", async () => {
  const { open } = chatScene();
  const never = gate();
  const model = pacedModel([["Once upon", never.promise], ["Yes?"]]);
  const { handle } = await open(model);
  const page = openChatPage(handle);
  const stream = await page.say("c1", "m1", "A story");
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<UIMessageChunk>) {
    chunks.push(chunk);
    if (chunk.type === "text-delta") expect((await page.post("/c1/stop")).status).toBe(200);
  }
  expect(chunks.map(({ type }) => type)).toContain("abort");
  expect((await page.show("c1"))[1]?.parts).toMatchObject([{}, { text: "Once upon" }]);
  await readUiMessage(await page.say("c1", "m2", "Enough."));
  expect(model.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
    "A story",
    "Once upon",
    "Enough.",
  ]);
});

it("cancels a pending call, which is never made, and continues the chat", async () => {
  const { open, refunds } = chatScene();
  const model = scriptedModel([calls(["refund", { id: "7" }]), says("Fine.")]);
  const { handle } = await open(model);
  const page = openChatPage(handle);
  const asked = await readUiMessage(await page.say("c1", "m1", "Refund 7."));
  await expect(page.say("c1", "m2", "No!")).rejects.toThrow(/"question_open"/);
  expect(await (await page.post("/c1/stop")).json()).toEqual({ stopped: true });
  expect(model.requests).toHaveLength(1);
  expect(await page.resume("c1")).toBeNull();
  const late = withApprovalResponse(asked, true);
  await readUiMessage(await page.send("c1", [late]), late);
  await readUiMessage(await page.say("c1", "m2", "No!"));
  expect(refunds).toEqual([]);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("withdrawn");
});

it("hides the cause of a failed answer, and answers the same message again", async () => {
  const received: string[] = [];
  const onError = (error: unknown, reference: string) => void received.push(`${reference} ${String(error)}`);
  const { open } = chatScene();
  const model = pacedModel([...Array<Error>(3).fill(new Error("key sk-12345 is wrong")), ["Now."]]);
  const { handle } = await open(model, { handler: { onError } });
  const page = openChatPage(handle);
  const chunks = await readChunks(await page.say("c1", "m1", "Hello"));
  const error = chunks.find((chunk) => chunk.type === "error")!;
  expect(error.errorText).not.toContain("sk-12345");
  expect(error.errorText).toContain(received[0]?.split(" ")[0]);
  expect(await page.resume("c1")).toBeNull();
  const answer = await readUiMessage(
    await page.send("c1", [userUiMessage("m1", "Hello")], "regenerate-message"),
  );
  expect(answer.parts.at(-1)).toMatchObject({ text: "Now." });
  await expect(page.send("c1", [userUiMessage("m1", "Hello")], "regenerate-message")).rejects.toThrow(
    /"answered"/,
  );
});

it("hides details for operators of a failed call from the page and its history", async () => {
  const { open } = chatScene();
  const { handle } = await open(scriptedModel([calls(["broken", {}]), says("It is broken.")]));
  const page = openChatPage(handle);
  const answer = await readUiMessage(await page.say("c1", "m1", "Try."));
  expect(answer.parts).toContainEqual(expect.objectContaining({ state: "output-error" }));
  expect(JSON.stringify(await page.show("c1"))).not.toContain("hunter2");
});

it("keeps chats of other users hidden and separate under the same id", async () => {
  const { open } = chatScene();
  const model = pacedModel([["Hello Ada."], ["Hello Bob."]]);
  const { handle } = await open(model);
  const [ada, bob] = [openChatPage(handle), openChatPage(handle, "bob")];
  await readUiMessage(await ada.say("c1", "m1", "My secret is 42"));
  const none = await bob.fetch("/nowhere");
  const hers = await bob.fetch("/c1");
  expect([hers.status, await hers.text()]).toEqual([none.status, await none.text()]);
  expect((await bob.fetch("/c1", { method: "DELETE" })).status).toBe(404);
  expect((await bob.post("/c1/stop")).status).toBe(404);
  expect((await bob.fetch("/c1/stream")).status).toBe(204);
  expect(await (await bob.fetch("")).json()).toEqual({ chats: [], more: 0 });
  await readUiMessage(await bob.say("c1", "m1", "Hello"));
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("42");
  expect(await (await ada.fetch("")).json()).toMatchObject({
    chats: [{ id: "c1", title: "My secret is 42" }],
  });
});

it("removes the content of a deleted chat from the store and refuses further messages", async () => {
  const { open } = chatScene();
  const place = newSessionLedger();
  const words = "zebra-in-the-question";
  const { handle, haft } = await open(pacedModel([["zebra-in-the-answer"]]), { ledger: place });
  const page = openChatPage(handle);
  await readUiMessage(await page.say("c1", "m1", words));
  expect((await page.fetch("/c1", { method: "DELETE" })).status).toBe(204);
  expect((await page.fetch("/c1")).status).toBe(404);
  expect((await page.fetch("/c1", { method: "DELETE" })).status).toBe(404);
  await expect(page.say("c1", "m2", "Still there?")).rejects.toThrow(/"deleted"/);
  expect(JSON.stringify(await haft.log())).not.toContain("zebra");
  const file = place.slice("sqlite:".length);
  const bytes = [file, `${file}-wal`].map((each) => readFileSync(each).toString("latin1")).join("");
  expect(bytes).not.toContain("zebra");
});

it("removes the sealed texts of a deleted chat from the file", async () => {
  const { open } = chatScene();
  const place = newSessionLedger();
  const { handle, haft } = await open(pacedModel([["An answer."], ["Another."]]), { ledger: place });
  const page = openChatPage(handle);
  await readUiMessage(await page.say("c1", "m1", "A question"));
  await readUiMessage(await page.say("c1", "m2", "Another question"));
  const file = place.slice("sqlite:".length);
  const sealed = () => {
    using database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("SELECT * FROM haft_run_messages").all();
    return rows.flatMap((row) =>
      Object.values(row).filter((each) => each instanceof Uint8Array || String(each).length > 40),
    );
  };
  const texts = sealed().map((each) => Buffer.from(each as string | Uint8Array).toString("latin1"));
  expect(texts.length).toBeGreaterThan(1);
  expect((await page.fetch("/c1", { method: "DELETE" })).status).toBe(204);
  await haft.close();
  const bytes = readFileSync(file).toString("latin1");
  for (const text of texts) expect(bytes).not.toContain(text.slice(8, 40));
});

it("limits a session grant to its chat, not to another agent or session", async () => {
  const { open, refunds } = chatScene();
  const { handle, haft } = await open(
    scriptedModel([
      calls(["refund", { id: "1" }]),
      says("Done."),
      calls(["refund", { id: "2" }]),
      says("Done."),
    ]),
  );
  const page = openChatPage(handle);
  const asked = await readUiMessage(await page.say("c1", "m1", "Refund 1."));
  await (
    await page.post("", { id: "c1", messages: [withApprovalResponse(asked, true)], always: "session" })
  ).text();
  await readUiMessage(await page.say("c1", "m2", "Refund 2."));
  expect(refunds).toEqual(["1", "2"]);
  const model = scriptedModel([calls(["refund", { id: "3" }])]);
  const other = agent({ name: "other", instructions: "Help.", model, tools: ["refund"] });
  const otherChat = openChatPage(agentHandler(haft, other, { principal: principalFromHeader }));
  const waiting = await readUiMessage(await otherChat.say("c1", "m1", "Refund 3."));
  expect(waiting.parts.at(-1)).toMatchObject({ state: "approval-requested" });
  const session = haft.session({ id: "c1", principal: { agent: "desk", user: "ada", allow: ["*"] } });
  const [reply] = await session.turn([{ id: "x", tool: "refund", input: { id: "4" } }]);
  expect(reply?.pending).toBeDefined();
  expect(refunds).toEqual(["1", "2"]);
});

it("shows a pending call and continues when another person answers it", async () => {
  const { open, refunds } = chatScene();
  const approver = (request: Request) => request.headers.get("x-boss") ?? undefined;
  const { handle, haft } = await open(scriptedModel([calls(["refund", { id: "7" }]), says("Done.")]), {
    handler: { approver },
  });
  const page = openChatPage(handle);
  const stream = await page.say("c1", "m1", "Refund 7.");
  const seen: string[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<UIMessageChunk>) {
    seen.push(chunk.type);
    if (chunk.type !== "data-approval" || (chunk.data as { state: string }).state !== "waiting") continue;
    const lie = { id: chunk.id, approved: true };
    const part = { type: "tool-refund", toolCallId: "call-1-1", state: "approval-responded", approval: lie };
    const own = { id: "c1", messages: [{ id: "m1-answer", role: "assistant", parts: [part] }] };
    expect((await page.post("", own)).status).toBe(403);
    const ada = haft.as({ agent: "desk", user: "ada", session: "c1", allow: ["*"] });
    await waitFor(async () => ada.resume(String(chunk.id), { kind: "allow" }, { by: "boss" }));
  }
  expect(refunds).toEqual(["7"]);
  expect(seen).not.toContain("tool-approval-request");
  expect(seen).toContain("tool-output-available");
  expect((await page.show("c1"))[1]?.parts).toContainEqual(
    expect.objectContaining({ type: "data-approval", data: expect.objectContaining({ state: "allowed" }) }),
  );
});

it("reports a handoff and continues with the other agent", async () => {
  const { open } = chatScene();
  const model = scriptedModel([
    calls(["handoff_to_helper", {}]),
    says("I am the helper."),
    says("Still me."),
  ]);
  const helper = agent({ name: "helper", instructions: "Assist.", model, tools: [] });
  const { handle } = await open(model, { helper });
  const page = openChatPage(handle);
  const answer = await readUiMessage(await page.say("c1", "m1", "Help me"));
  expect(answer.parts).toContainEqual({
    type: "data-handoff",
    id: "handoff-2",
    data: { from: "desk", to: "helper" },
  });
  expect((await page.show("c1"))[1]).toEqual(answer);
  await readUiMessage(await page.say("c1", "m2", "And now?"));
  expect(model.requests[2]?.messages[0]?.content).toBe("Assist.");
});

it("limits model turns for each answer, not for the chat", async () => {
  const { open } = chatScene();
  const model = scriptedModel(Array.from({ length: 12 }, (_, at) => says(`Answer ${at}.`)));
  const { handle } = await open(model);
  const page = openChatPage(handle);
  for (let at = 0; at < 12; at += 1) {
    const answer = await readUiMessage(await page.say("c1", `m${at}`, "Next"));
    expect(answer.parts.at(-1)).toMatchObject({ text: `Answer ${at}.` });
  }
});
