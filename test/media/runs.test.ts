import * as Effect from "effect/Effect";
import { agent, type ContentPart, final, Haft, handoff, rewrite, tool, withMedia } from "haft";
import { cache, type Outcome, type ToolLayer, type ValueOutcome } from "haft/layers";
import { calls, type ScriptLine, says, scriptedModel } from "haft/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { validateConversation } from "../../src/agent/validate-conversation.ts";
import { pngOf } from "../kit/png-of.ts";

const principal = { agent: "tester", allow: ["*"] };
const red = pngOf(2, [255, 0, 0]);
const data = red.toString("base64");
const picture = { kind: "image", mediaType: "image/png", data } as const;
const takes = { data: ["image/*"] };

const draw = tool({
  name: "draw",
  description: "Draws",
  input: [],
  output: { type: "object", properties: { width: { type: "number" } }, required: ["width"] },
  annotations: { readOnly: true },
  run: () => withMedia({ width: 2 }, [{ kind: "image", mediaType: "image/png", data: red }]),
});

const run = async (
  script: readonly ScriptLine[],
  input: Parameters<Haft["run"]>[1],
  options: object = {},
) => {
  await using haft = await Haft.open({ tools: [draw], principal });
  const model = scriptedModel(script, options);
  const painter = agent({ name: "painter", instructions: "Paint.", model, tools: ["*"] });
  const events: unknown[] = [];
  const stream = haft.stream(painter, input);
  for await (const event of stream) events.push(event);
  const response = await stream.response;
  return { model, response, events, log: await haft.log() };
};

describe("a tool that returns a picture", () => {
  it("returns it from the cache too, for concurrent and for later calls", async () => {
    await using haft = await Haft.open({ tools: [draw], principal, layers: [cache()] });
    const call = async (id: string) => (await haft.turn([{ id, tool: "draw", input: {} }]))[0];
    const replies = [...(await Promise.all([call("1"), call("2")])), await call("3")];
    for (const reply of replies) expect(reply).toMatchObject({ value: { width: 2 }, parts: [picture] });
  });

  it("returns a text file with its secrets masked", async () => {
    const secret = "sup3r-s3cret-value-99";
    const file = { kind: "file", mediaType: "text/plain", data: Buffer.from(`key is ${secret}`) } as const;
    const read = tool({
      name: "read",
      description: "Reads",
      input: [],
      run: () => withMedia("read", [file]),
    });
    vi.stubEnv("MEDIA_KEY", secret);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using haft = await Haft.open({
      tools: [read],
      principal,
      credentials: { env: { MEDIA_KEY: "key" } },
    });
    const [reply] = await haft.turn([{ id: "1", tool: "read", input: {} }]);
    const [part] = reply?.parts ?? [];
    const reported =
      part?.kind === "file" && part.data !== undefined ? Buffer.from(part.data, "base64").toString() : "";
    expect(reported).toMatch(/^key is /);
    expect(reported).not.toContain(secret);
  });

  it("loses it when a layer replaces its value, unless the layer adds media", async () => {
    const drawn = async (change: (outcome: ValueOutcome) => Outcome) => {
      const quiet: ToolLayer = (next) => (call) =>
        Effect.map(next(call), (outcome) => (outcome._tag === "value" ? change(outcome) : outcome));
      await using haft = await Haft.open({ tools: [draw], principal, layers: [quiet] });
      const [reply] = await haft.turn([{ id: "1", tool: "draw", input: {} }]);
      return [reply?.parts, (await haft.log())[0]?.notes];
    };
    const value = { width: 3 };
    expect(await drawn((outcome) => outcome)).toEqual([[picture], []]);
    const [hidden, notes] = await drawn((outcome) => ({ ...outcome, value }));
    expect(hidden).toBeUndefined();
    expect(notes).toEqual(["left out: media of a value that a layer replaced"]);
    expect((await drawn(() => rewrite(value)))[0]).toBeUndefined();
    expect((await drawn(() => withMedia(value, [picture])))[0]).toEqual([picture]);
  });

  it("shows it to a model that accepts pictures, next to a value that fits the output schema", async () => {
    const { model, response } = await run([calls(["draw", {}]), says("Red.")], "Draw.", { takes });
    expect(response).toMatchObject({ content: "Red.", status: "done" });
    expect(response.losses).toBeUndefined();
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: '{"width":2}',
      parts: [picture],
    });
    expect(response.toolsUsed).toMatchObject([{ name: "draw", result: { width: 2 }, parts: [picture] }]);
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("describes it in text to a model that accepts none, and reports the loss in the response, the events and the ledger", async () => {
    const { model, response, events, log } = await run(
      [calls(["draw", {}]), calls(["draw", {}]), says("I cannot see.")],
      [{ kind: "text", text: "Like this?" }, picture],
    );
    for (const { messages } of model.requests) {
      expect(JSON.stringify(messages)).not.toContain(data);
      expect(messages.every(({ content }) => typeof content === "string")).toBe(true);
    }
    expect(model.requests[2]?.messages.at(-1)?.content).toBe(
      `{"width":2}\n[image (image/png, ${red.length} bytes): it cannot be shown to you.]`,
    );
    expect(response.losses?.map(({ message, part, model: id }) => [message, part, id])).toEqual([
      [0, 1, "scripted/model"],
      [2, 0, "scripted/model"],
      [4, 0, "scripted/model"],
    ]);
    // The conversation keeps the picture for a model that accepts it.
    expect(response.context[2]).toMatchObject({ parts: [picture] });
    expect(events.filter((event) => (event as { kind: string }).kind === "loss")).toHaveLength(3);
    const asked = log.filter((entry) => entry.tool.startsWith("model:"));
    expect(asked.at(-1)?.result).toContain('"losses":[{"message":1,"part":1');
    expect(asked.at(-1)?.notes?.[0]).toMatch(
      /^described in text only: image image\/png\. The model does not declare/,
    );
  });

  it("can end the run with it, and the response contains it", async () => {
    const done = tool({
      name: "done",
      description: "Ends",
      input: [],
      run: () => withMedia(final("Here it is."), [picture]),
    });
    await using haft = await Haft.open({ tools: [done], principal });
    const model = scriptedModel([calls(["done", {}])]);
    const response = await haft.run(agent({ name: "a", instructions: "Go.", model, tools: ["*"] }), "Go.");
    expect(response).toMatchObject({ content: "Here it is.", parts: [picture], status: "done" });
    expect(response.context.at(-1)).toMatchObject({ role: "assistant", parts: [picture] });
  });

  it("is recorded with its hash instead of its bytes", async () => {
    const { log } = await run([calls(["draw", {}]), says("Red.")], "Draw.", { takes });
    const [entry] = log.filter((each) => each.tool === "draw");
    expect(entry).toMatchObject({
      result: '{"width":2}',
      media: [{ kind: "image", mediaType: "image/png", bytes: red.length, sha256: expect.any(String) }],
    });
    expect(JSON.stringify(log)).not.toContain(data);
  });

  it("returns it again from a cache, and loses it when a layer rewrites the value", async () => {
    let made = 0;
    const cached = tool({
      name: "cached",
      description: "Draws",
      input: [],
      annotations: { readOnly: true },
      run: () => {
        made++;
        return withMedia(made, [picture]);
      },
    }).layer(cache());
    const replaced = draw.layer((next) => (call) => Effect.map(next(call), () => rewrite({ width: 0 })));
    await using haft = await Haft.open({ tools: [cached, replaced], principal });
    const ask = async (name: string) => (await haft.turn([{ id: "1", tool: name, input: "{}" }]))[0];
    expect(await ask("cached")).toMatchObject({ value: 1, parts: [picture] });
    expect(await ask("cached")).toMatchObject({ value: 1, parts: [picture] });
    expect(made).toBe(1);
    const rewritten = await ask("draw");
    expect(rewritten).toMatchObject({ ok: true, value: { width: 0 } });
    expect(rewritten?.parts).toBeUndefined();
  });
});

describe("a result with media", () => {
  const reply = async (parts: readonly unknown[], limits: object = {}, value: unknown = "ok") => {
    const give = tool({
      name: "give",
      description: "Gives",
      input: [],
      run: () => withMedia(value, parts as never),
    });
    await using haft = await Haft.open({ tools: [give], principal, config: { limits } });
    const [only] = await haft.turn([{ id: "1", tool: "give", input: "{}" }]);
    const [entry] = await haft.log();
    return { ...only!, notes: entry?.notes };
  };

  it("that is invalid fails with invalid_output, with the reason for operators", async () => {
    for (const [part, why] of [
      [{ kind: "image", mediaType: "image/png", data: "no base64" }, "not padded base64"],
      [{ kind: "image", mediaType: "text/html", data }, 'its mediaType is "text/html"'],
      [{ kind: "image", mediaType: "image/png" }, "either `data` or `url`"],
      [{ kind: "image", mediaType: "image/png", url: "http://a.example/a.png" }, "not an https address"],
      [{ kind: "video", mediaType: "video/mp4", data }, "no known `kind`"],
      [{ ...picture, alt: "x" }, 'a field "alt"'],
    ] as const) {
      const { failure, ok } = await reply([part]);
      expect(ok).toBe(false);
      expect(failure).toMatchObject({ code: "invalid_output", message: expect.stringContaining(why) });
    }
  });

  it("above the limits is replaced by sentences, and the rest of the result is kept", async () => {
    const large = await reply([picture, picture], { maxMediaBytes: red.length });
    expect(large).toMatchObject({ ok: true, value: "ok", text: "ok" });
    expect(large.parts).toEqual([
      picture,
      { kind: "text", text: expect.stringMatching(/^\[Left out: image .*limits\.maxMediaBytes\)\.\]$/) },
    ]);
    expect(large.notes).toEqual([expect.stringMatching(/^left out: image \(image\/png/)]);
    const many = await reply([picture, picture, picture], { maxMediaParts: 1 });
    expect(many.parts).toEqual([
      picture,
      { kind: "text", text: expect.stringContaining("2 more parts, because a result can have at most 1") },
    ]);
    expect((await reply([picture], { maxMediaBytes: 0 })).parts).toMatchObject([{ kind: "text" }]);
  });

  it("has its names and URLs masked, and its data unchanged", async () => {
    const secret = data.slice(0, 12);
    const give = tool({
      name: "give",
      description: "Gives",
      input: [],
      run: () =>
        withMedia("ok", [
          { ...picture, name: `${secret}.png` },
          { kind: "image", mediaType: "image/png", url: `https://a.example/?key=${secret}` },
        ]),
    });
    await using haft = await Haft.open({
      tools: [give],
      principal,
      credentials: { values: { key: secret } },
    });
    const [only] = await haft.turn([{ id: "1", tool: "give", input: "{}" }]);
    const [bytes, link] = only!.parts as readonly ContentPart[];
    expect(bytes).toMatchObject({ data });
    expect(JSON.stringify([{ ...bytes, data: "" }, link, await haft.log()])).not.toContain(secret);
  });

  it("keeps its picture when the value is a handoff", async () => {
    const { parts, flow } = await reply([picture], {}, handoff("clerk"));
    expect([parts, flow]).toEqual([[picture], { kind: "handoff", agent: "clerk" }]);
  });
});

describe("a model", () => {
  it("that creates a picture answers with it, even without text", async () => {
    const { response } = await run([{ text: "", parts: [picture] }], "Draw.");
    expect(response).toMatchObject({ status: "done", content: "", parts: [picture] });
    expect(response.context.at(-1)).toMatchObject({ role: "assistant", content: "", parts: [picture] });
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("that reasons streams its reasoning, which is kept apart from its text", async () => {
    const { response, events } = await run([{ text: "Red.", reasoning: "It looks red." }], "Which color?");
    expect(events).toContainEqual({ kind: "reasoning", agent: "painter", text: "It looks red." });
    expect(response).toMatchObject({ content: "Red." });
    expect(response.context.at(-1)).toMatchObject({ content: "Red.", reasoning: "It looks red." });
  });

  it("receives parts and messages with parts, and invalid parts are refused", async () => {
    const { model } = await run([says("Red.")], [{ kind: "text", text: "Which color?" }, picture], { takes });
    expect(model.requests[0]?.messages.at(-1)).toEqual({
      role: "user",
      content: [{ kind: "text", text: "Which color?" }, picture],
    });
    const spelled = await run([says("Red.")], [{ role: "user", content: [picture] }], { takes });
    expect(spelled.model.requests[0]?.messages.at(-1)?.content).toEqual([picture]);
    await expect(run([], [{ kind: "image", mediaType: "image/png", data: "%" }])).rejects.toThrow(
      "Part 0 of message 0 has `data` that is not padded base64",
    );
  });
});
