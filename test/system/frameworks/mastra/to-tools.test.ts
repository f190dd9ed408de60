import { toMastraTools } from "haft/integrations/mastra";
import { describe, expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import { createMastraScenes, mastraCall, mastraSendMailCall } from "../../kit/mastra-scene.ts";

const desk = createMailDesks();
const place = createMastraScenes();

describe("session tools in the Mastra loop", () => {
  test("return the replies of the session under Mastra's call ids, in one run of the ledger", async () => {
    const haft = await desk().open();
    const { agent, reported } = place()(haft.session({ id: "c-1" }), {}, [
      mastraSendMailCall("s0", "eve"),
      mastraCall("b0", "break-down", {}),
    ]);
    expect((await agent.generate("Go.")).text).toBe("Done.");
    expect(reported).toEqual({
      s0: { type: "text", value: '{"sentTo":"eve"}' },
      b0: { type: "error-text", value: expect.stringContaining("The pump is broken.") },
    });
    const log = await haft.log();
    expect(log.map(({ callId }) => callId).sort()).toEqual(["b0", "s0"]);
    expect(new Set(log.map(({ runId }) => runId)).size).toBe(1);
  });

  test("have schemas that Mastra may modify", async () => {
    const session = (await desk().open()).session();
    const schemaOf = () =>
      toMastraTools(session).send_mail.inputSchema!["~standard"].jsonSchema.input({ target: "draft-07" });
    (schemaOf().properties as Record<string, unknown>).more = {};
    expect(schemaOf().properties).not.toHaveProperty("more");
  });

  test("fail as tool errors with the text of Haft, and the loop continues", async () => {
    const { agent, reported } = place()((await desk().open()).session(), {}, [
      mastraCall("b1", "break-down", {}),
    ]);
    expect((await agent.generate("Go.")).text).toBe("Done.");
    expect(reported.b1).toEqual({
      type: "error-text",
      value: 'Error: The tool "break-down" failed: The pump is broken.',
    });
  });

  test("reject and record arguments that do not match the schema", async () => {
    const scene = desk();
    const haft = await scene.open();
    const { agent, reported } = place()(haft.session(), {}, [mastraCall("s1", "send_mail", { too: 1 })]);
    await agent.generate("Go.");
    expect(reported.s1).toMatchObject({ value: expect.stringContaining("to") });
    expect(await haft.log()).toMatchObject([{ callId: "s1" }]);
    expect(scene.sent).toEqual([]);
  });

  test("stream progress and receive the abort signal", async () => {
    const scene = desk();
    const stop = new AbortController();
    const { agent } = place()((await scene.open()).session(), {}, [mastraCall("w1", "wait_long", {})]);
    const { fullStream } = await agent.stream("Go.", { abortSignal: stop.signal });
    const received: unknown[] = [];
    for await (const chunk of fullStream) {
      if (chunk.type !== "tool-output") continue;
      received.push(chunk.payload.output);
      stop.abort();
    }
    expect(received).toEqual([{ done: 1 }]);
    expect(scene.aborted).toEqual(["wait_long"]);
  });

  test("reject a direct execution that needs approval", async () => {
    const scene = desk();
    const session = (await scene.open()).session();
    const tools = toMastraTools(session);
    await tools.read_page.execute!({ url: "a.example" }, {} as never);
    await expect(tools.send_mail.execute!({ to: "bob" }, {} as never)).rejects.toThrow(/person|approv/i);
    expect(scene.sent).toEqual([]);
  });
});
