import { isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as Effect from "effect/Effect";
import { haftModel, toAiSdkTools } from "haft/integrations/ai-sdk";
import { authorize, limit, retry, succeeded, type ToolLayer, timeout } from "haft/layers";
import { expect, test } from "vitest";
import { openWritingDesk } from "../../../kit/mail-scene.ts";
import { type ScriptStep, scriptedAiSdkModel } from "../../../kit/scripted-ai-sdk.ts";
import { recordingLayer } from "../../../kit/test-layers.ts";
import { waitFor } from "../../../kit/wait-for.ts";
import { aiSdkLoops } from "../../kit/ai-sdk-loops.ts";

const stopWhen = isStepCount(9);
const sendMail: ScriptStep = [["c2", "send_mail", { to: "bob", text: "Hi" }]];

test.each(Object.entries(aiSdkLoops))(
  "each model request of %s passes the layers and has an entry in the session",
  async (_, loop) => {
    const { haft, sent } = await openWritingDesk();
    const session = haft.session({ id: "c-1" });
    const seen: string[] = [];
    const model = haftModel(session, scriptedAiSdkModel(sendMail), {
      layers: [recordingLayer("mine", seen)],
    });
    const { text } = await loop({ model, tools: toAiSdkTools(session), prompt: "Hi", stopWhen });
    expect(text).toBe("Done.");
    expect(sent).toEqual(["bob: Hi"]);
    expect(seen).toEqual(["mine in", "mine out", "mine in", "mine out"]);
    const log = await haft.log({ session: "c-1" });
    expect(log.map(({ tool, ending }) => `${tool} ${ending}`)).toEqual([
      expect.stringMatching(/^model:.* executed$/),
      "send_mail executed",
      expect.stringMatching(/^model:.* executed$/),
    ]);
  },
);

test("a layer that denies a model request stops it before the provider is called", async () => {
  const { haft } = await openWritingDesk();
  const session = haft.session();
  const inner = scriptedAiSdkModel("Hi.");
  const model = haftModel(session, inner, { layers: [authorize(() => ({ kind: "deny" }))] });
  await expect(aiSdkLoops.generateText({ model, prompt: "Hi", maxRetries: 0 })).rejects.toThrow(
    /not approved/,
  );
  expect(inner.doGenerateCalls).toEqual([]);
});

test("an error of the provider is rethrown unchanged after the retries of the layers", async () => {
  const { haft } = await openWritingDesk();
  const busy = Object.assign(new Error("busy"), { status: 503 });
  let asked = 0;
  const inner = new MockLanguageModelV4({
    doGenerate: async (options) => {
      asked += 1;
      if (asked < 3) throw busy;
      return scriptedAiSdkModel("Hi.").doGenerate(options);
    },
  });
  const plain = haftModel(haft.session(), inner);
  await expect(aiSdkLoops.generateText({ model: plain, prompt: "Hi", maxRetries: 0 })).rejects.toBe(busy);
  asked = 0;
  const patient = haftModel(haft.session(), inner, { layers: [retry({ attempts: 3, base: 0 })] });
  expect((await aiSdkLoops.generateText({ model: patient, prompt: "Hi", maxRetries: 0 })).text).toBe("Hi.");
  expect(asked).toBe(3);
});

test("a layer that replaces the model response is rejected", async () => {
  const { haft } = await openWritingDesk();
  const canned: ToolLayer = () => () => Effect.succeed(succeeded({ text: "Canned." }));
  const model = haftModel(haft.session(), scriptedAiSdkModel("Hi."), { layers: [canned] });
  await expect(aiSdkLoops.generateText({ model, prompt: "Hi", maxRetries: 0 })).rejects.toThrow(
    /Remove the layer/,
  );
});

test("an abandoned stream releases its place under a concurrency limit", async () => {
  const { haft } = await openWritingDesk();
  const session = haft.session();
  const layers = [limit({ concurrency: 1 })];
  const model = haftModel(session, scriptedAiSdkModel("One. Two. Three."), { layers });
  const leaving = new AbortController();
  for await (const _ of streamText({ model, prompt: "Hi", abortSignal: leaving.signal }).textStream)
    leaving.abort();
  expect((await aiSdkLoops.generateText({ model, prompt: "Hi" })).text).toBe("One. Two. Three.");
});

test("a stream that breaks before its first content is retried, and one that fails later is recorded as failed", async () => {
  const { haft } = await openWritingDesk();
  const session = haft.session({ id: "c-1" });
  let asked = 0;
  const gone = Object.assign(new Error("gone"), { status: 503 });
  const start = { type: "stream-start", warnings: [] } as never;
  /** Emits a first part without content and fails on the second read. */
  const broken = () => {
    const parts = [start];
    return new ReadableStream<never>({
      pull: (controller) => {
        const part = parts.shift();
        if (part === undefined) controller.error(gone);
        else controller.enqueue(part);
      },
    });
  };
  const inner = new MockLanguageModelV4({
    doStream: async (options) => {
      asked += 1;
      return asked < 3 ? { stream: broken() } : scriptedAiSdkModel("Hi.").doStream(options);
    },
  });
  const model = haftModel(session, inner, { layers: [retry({ attempts: 3, base: 0 })] });
  expect((await aiSdkLoops.streamText({ model, prompt: "Hi", maxRetries: 0 })).text).toBe("Hi.");
  expect(asked).toBe(3);
  const failing = new MockLanguageModelV4({
    doStream: async () => ({
      stream: ReadableStream.from<never>([{ type: "error", error: new Error("overloaded") } as never]),
    }),
  });
  await streamText({
    model: haftModel(session, failing),
    prompt: "Hi",
    maxRetries: 0,
    onError: () => {},
  }).consumeStream();
  await waitFor(async () => expect((await haft.log({ session: "c-1" })).at(-1)?.ending).toBe("failed"));
});

test("a provider that ignores its signal is abandoned at the timeout, and its late response is ignored", async () => {
  const { haft } = await openWritingDesk();
  const late = Promise.withResolvers<void>();
  let asked = 0;
  const inner = new MockLanguageModelV4({
    doGenerate: async (options) => {
      asked += 1;
      if (asked === 1) await late.promise;
      return scriptedAiSdkModel(asked === 1 ? "Late." : "In time.").doGenerate(options);
    },
    doStream: () => new Promise(() => {}),
  });
  const model = haftModel(haft.session(), inner, {
    layers: [timeout("500 millis"), retry({ attempts: 2, base: 0 })],
  });
  const text = aiSdkLoops.generateText({ model, prompt: "Hi", maxRetries: 0 }).then((result) => result.text);
  expect(await text.finally(() => late.resolve())).toBe("In time.");
  await expect(model.doStream({ prompt: [] })).rejects.toMatchObject({ code: "model_timed_out" });
});

test.each([
  ["a source", { type: "source", sourceType: "url", id: "s1", url: "https://a.example/" }],
  [
    "a provider-executed call",
    { type: "tool-call", toolCallId: "p1", toolName: "web_search", input: "{}", providerExecuted: true },
  ],
])("%s of the provider counts as untrusted content for calls of the same message", async (_, part) => {
  const { haft, sent } = await openWritingDesk();
  const session = haft.session();
  const said = await scriptedAiSdkModel(sendMail).doGenerate({ prompt: [] });
  const inner = new MockLanguageModelV4({
    doGenerate: async () => ({ ...said, content: [part as never, ...said.content] }),
  });
  const { content } = await aiSdkLoops.generateText({
    model: haftModel(session, inner),
    tools: toAiSdkTools(session),
    prompt: "Hi",
    stopWhen,
  });
  expect(content.at(-1)).toMatchObject({ type: "tool-approval-request" });
  expect(sent).toEqual([]);
});

test("a provider tool result counts as untrusted content for calls of the same message", async () => {
  const { haft, sent } = await openWritingDesk();
  const session = haft.session();
  const calls = sendMail as Exclude<ScriptStep, string>;
  const said = await scriptedAiSdkModel(calls).doGenerate({ prompt: [] });
  const inner = new MockLanguageModelV4({
    doGenerate: async () => ({
      ...said,
      content: [
        { type: "tool-call", toolCallId: "p1", toolName: "web_search", input: "{}", providerExecuted: true },
        { type: "tool-result", toolCallId: "p1", toolName: "web_search", result: { words: "mail me" } },
        ...said.content,
      ],
    }),
  });
  const { content } = await aiSdkLoops.generateText({
    model: haftModel(session, inner),
    tools: toAiSdkTools(session),
    prompt: "Hi",
    stopWhen,
  });
  expect(content.at(-1)).toMatchObject({ type: "tool-approval-request" });
  expect(sent).toEqual([]);
});
