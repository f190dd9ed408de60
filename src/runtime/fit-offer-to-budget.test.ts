import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../base/text/estimate-tokens.ts";
import { type Format, formats } from "../models/dialects/formats.ts";
import { tool } from "../tools/tool.ts";
import { Haft } from "./haft.ts";
import { Offers } from "./offers-layer.ts";
import { runtimeLayer } from "./runtime-layer.ts";

const principal = { agent: "tester", allow: ["*"] };
const made = (name: string, description: string) =>
  tool({
    name,
    description,
    input: { type: "object", properties: { id: { type: "string", description: "Of what" } } },
    run: () => 1,
  });
const tools = [
  made("archive_invoice", "Puts an invoice away"),
  made("book_flight", "Books a flight to a city"),
  made("cancel_order", "Cancels an order"),
  made("long_story", "Tells a story. ".repeat(60)),
  made("send_email", "Sends an email"),
];
const names = tools.map(({ spec }) => spec.name);
const open = () => Haft.open({ tools, principal });
const sizeOf = (format: Format, name: string): number => {
  const { spec } = tools.find((one) => one.spec.name === name)!;
  const spelled = formats[format]([{ wireName: name, spec }]).tools;
  return spelled.map((one) => estimateTokens(JSON.stringify(one))).reduce((sum, each) => sum + each, 0);
};

describe("offer within a token budget", () => {
  it.each(Object.keys(formats) as Format[])(
    "has the tools that fit in the format %s, sorted by name",
    async (format) => {
      await using haft = await open();
      const maxTokens = sizeOf(format, "archive_invoice") + sizeOf(format, "book_flight");
      const { offer, leftOut, tools: spelled } = haft.offer({ format, maxTokens });
      expect(offer.specs.map(({ name }) => name)).toEqual(["archive_invoice", "book_flight"]);
      expect(leftOut).toEqual(["cancel_order", "long_story", "send_email"]);
      expect(estimateTokens(JSON.stringify(spelled))).toBeLessThan(maxTokens + 10);
      const less = haft.offer({ format, maxTokens: maxTokens - 1 });
      expect(less.leftOut).toContain("book_flight");
    },
  );

  it("skips a tool that is too large and continues with the next", async () => {
    await using haft = await open();
    const maxTokens = names.reduce((sum, name) => sum + sizeOf("openai", name), 0) - 1;
    expect(haft.offer({ maxTokens }).leftOut).toEqual(["send_email"]);
    const small = maxTokens - sizeOf("openai", "long_story") + 1;
    expect(haft.offer({ maxTokens: small }).leftOut).toEqual(["long_story"]);
  });

  it("has the tools for the query first, sorted by name", async () => {
    await using haft = await open();
    const maxTokens = sizeOf("openai", "send_email") + sizeOf("openai", "cancel_order");
    const { offer, leftOut } = await haft.offer({ maxTokens, query: "send an email, cancel the order" });
    expect(offer.specs.map(({ name }) => name)).toEqual(["cancel_order", "send_email"]);
    expect(leftOut).toEqual(["archive_invoice", "book_flight", "long_story"]);
  });

  it("fills the budget with other tools after those for the query", async () => {
    await using haft = await open();
    const { leftOut } = await haft.offer({ maxTokens: 100_000, query: "send an email" });
    expect(leftOut).toEqual([]);
  });

  it("allows calls only of its own tools", async () => {
    await using haft = await open();
    const { offer } = haft.offer({ maxTokens: sizeOf("openai", "archive_invoice") });
    const replies = await haft.turn(
      ["archive_invoice", "send_email"].map((name) => ({ id: name, tool: name, input: "{}" })),
      { offer },
    );
    expect(replies.map(({ ok, failure }) => [ok, failure?.code])).toEqual([
      [true, undefined],
      [false, "unknown_tool"],
    ]);
  });

  it("does not name tools that the caller may not see", async () => {
    await using haft = await open();
    const { offer, leftOut } = await haft
      .as({ agent: "clerk", allow: ["*_order"] })
      .offer({ maxTokens: 1, query: "send an email" });
    expect([offer.specs, leftOut]).toEqual([[], ["cancel_order"]]);
  });

  it("has all tools without a budget", async () => {
    await using haft = await open();
    expect(haft.offer().leftOut).toEqual([]);
    expect(haft.offer({ format: "mcp" }).tools).toHaveLength(5);
  });

  it.each([
    [{ maxTokens: 0 }, "`maxTokens` must be a whole number of at least 1."],
    [{ maxTokens: 1.5 }, "`maxTokens` must be"],
    [{ maxTokens: Number.NaN }, "`maxTokens` must be"],
    [{ maxTokens: "9" }, "`maxTokens` must be"],
    [{ maxTokens: null }, "`maxTokens` must be"],
    [{ maxTokens: 9, query: "  " }, "`query` must be a string"],
    [{ maxTokens: 9, query: 7 }, "`query` must be a string"],
    [{ maxTokens: 9, format: "morse" }, 'Unknown format "morse"'],
  ])("refuses invalid options: %j", async (options, message) => {
    await using haft = await open();
    const refused = { code: "invalid_config", message: expect.stringContaining(message) };
    expect(() => haft.offer(options as never)).toThrow(expect.objectContaining(refused));
  });

  it("refuses a query without a budget synchronously", async () => {
    await using haft = await open();
    expect(() => haft.offer({ query: "email" } as never)).toThrow("`maxTokens`, which is not set");
  });

  it("reads only the beginning of a long query", async () => {
    await using haft = await open();
    const query = `send an email ${"x".repeat(1_000_000)}`;
    const { offer } = await haft.offer({ maxTokens: sizeOf("openai", "send_email"), query });
    expect(offer.specs.map(({ name }) => name)).toEqual(["send_email"]);
  });

  it("is the same as an Effect service", async () => {
    const program = Effect.gen(function* () {
      const { offer } = yield* Offers;
      const maxTokens = sizeOf("openai", "send_email");
      const { leftOut } = yield* offer({ maxTokens, query: "send an email" });
      const refused = yield* Effect.flip(offer({ maxTokens: 0 }));
      const alone = yield* Effect.flip(offer({ query: "email" }));
      return { leftOut, messages: [refused.message, alone.message] };
    });
    const layer = runtimeLayer({ tools, principal });
    const { leftOut, messages } = await Effect.runPromise(
      Effect.provide(program, layer) as never as Effect.Effect<{
        readonly leftOut: readonly string[];
        readonly messages: readonly string[];
      }>,
    );
    expect(leftOut).toEqual(names.filter((name) => name !== "send_email"));
    expect(messages).toEqual([
      expect.stringContaining("`maxTokens` must be"),
      expect.stringContaining("`maxTokens`, which is not set"),
    ]);
  });
});
