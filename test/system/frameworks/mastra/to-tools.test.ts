import { toMastraTools } from "haft/integrations/mastra";
import { describe, expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import { createMastraScenes, mastraCall, mastraSendMailCall } from "../../kit/mastra-scene.ts";

const desk = createMailDesks();
const place = createMastraScenes();

describe("tools of a session in Mastra's loop", () => {
  test("what the model reads is the reply of the session, under Mastra's own call id and in one group of the ledger", async () => {
    const haft = await desk().open();
    const { agent, told } = place()(haft.session({ id: "c-1" }), {}, [
      mastraSendMailCall("s0", "eve"),
      mastraCall("b0", "break-down", {}),
    ]);
    expect((await agent.generate("Go.")).text).toBe("Done.");
    expect(told).toEqual({
      s0: { type: "text", value: '{"sentTo":"eve"}' },
      b0: { type: "error-text", value: expect.stringContaining("The pump is broken.") },
    });
    const log = await haft.log();
    expect(log.map(({ callId }) => callId).sort()).toEqual(["b0", "s0"]);
    expect(new Set(log.map(({ runId }) => runId)).size).toBe(1);
  });

  test("Mastra may write into the schemas", async () => {
    const session = (await desk().open()).session();
    const schemaOf = () =>
      toMastraTools(session).send_mail.inputSchema!["~standard"].jsonSchema.input({ target: "draft-07" });
    (schemaOf().properties as Record<string, unknown>).more = {};
    expect(schemaOf().properties).not.toHaveProperty("more");
  });

  test("a tool that fails is a failed tool to Mastra, in the session's words, and the loop goes on", async () => {
    const { agent, told } = place()((await desk().open()).session(), {}, [
      mastraCall("b1", "break-down", {}),
    ]);
    expect((await agent.generate("Go.")).text).toBe("Done.");
    expect(told.b1).toEqual({
      type: "error-text",
      value: 'Error: The tool "break-down" failed: The pump is broken.',
    });
  });

  test("arguments that do not fit the schema are refused by the session, on record", async () => {
    const scene = desk();
    const haft = await scene.open();
    const { agent, told } = place()(haft.session(), {}, [mastraCall("s1", "send_mail", { too: 1 })]);
    await agent.generate("Go.");
    expect(told.s1).toMatchObject({ value: expect.stringContaining("to") });
    expect(await haft.log()).toMatchObject([{ callId: "s1" }]);
    expect(scene.sent).toEqual([]);
  });

  test("progress is streamed, and the abort signal reaches the tool", async () => {
    const scene = desk();
    const stop = new AbortController();
    const { agent } = place()((await scene.open()).session(), {}, [mastraCall("w1", "wait_long", {})]);
    const { fullStream } = await agent.stream("Go.", { abortSignal: stop.signal });
    const heard: unknown[] = [];
    for await (const chunk of fullStream) {
      if (chunk.type !== "tool-output") continue;
      heard.push(chunk.payload.output);
      stop.abort();
    }
    expect(heard).toEqual([{ done: 1 }]);
    expect(scene.aborted).toEqual(["wait_long"]);
  });

  test("a tool that is executed by hand tells that it waits, as nothing can be suspended there", async () => {
    const scene = desk();
    const session = (await scene.open()).session();
    const tools = toMastraTools(session);
    await tools.read_page.execute!({ url: "a.example" }, {} as never);
    await expect(tools.send_mail.execute!({ to: "bob" }, {} as never)).rejects.toThrow(/person|approv/i);
    expect(scene.sent).toEqual([]);
  });
});
