import type { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tool } from "../../src/tools/tool.ts";
import type { ModelError } from "../../src/types/errors.ts";
import type { Message } from "../../src/types/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/types/model.ts";
import { collect, collectStream } from "../kit/collect.ts";
import { mockPrompts, providerMock } from "../kit/provider-mock.ts";

const offeredTool = (name: string, property: string) => {
  const { spec } = tool({
    name,
    description: `Tells ${name}`,
    input: {
      type: "object",
      properties: { [property]: { type: "string" } },
      required: [property],
    },
    run: () => "",
  });
  return { wireName: name, spec };
};

const tools = [offeredTool("get_weather", "city"), offeredTool("get_time", "zone")];

const createRequest = (content: string): ModelRequest => ({ messages: [{ role: "user", content }], tools });

/** Both ways to ask must give the same reply, so all holds for either. */
const modelMethods = {
  whole: (model: Model, request: ModelRequest) => model.generate(request),
  streamed: async (model: Model, request: ModelRequest) => (await collectStream(model.stream(request))).reply,
};

/** What every client keeps, over real HTTP against another's server. `make` gets the address of that server. */
export const modelContract = (name: string, make: (origin: string) => Model, finishReason?: string): void => {
  describe(`${name} against a mocked provider`, () => {
    let mock: LLMock;
    let model: Model;
    beforeAll(async () => {
      mock = await providerMock(finishReason);
      model = make(mock.url);
    });
    afterAll(() => mock.stop());

    describe.each(Object.entries(modelMethods))("%s", (_, ask) => {
      it("asks for two calls at once, and answers when it has their replies", async () => {
        const messages: Message[] = [
          { role: "system", content: "Be brief." },
          { role: "user", content: mockPrompts.calls },
        ];
        const first = await ask(model, { messages, tools });
        expect(first.finish).toBe("calls");
        expect(first.calls.map((call) => call.tool)).toEqual(["get_weather", "get_time"]);
        expect(
          first.calls.map(({ input }) => (typeof input === "string" ? JSON.parse(input) : input)),
        ).toEqual([{ city: "Oslo" }, { zone: "CET" }]);
        expect(first.calls.every((call) => call.finish === "complete")).toBe(true);

        const { text: content, calls, echo } = first;
        messages.push({ role: "assistant", content, calls, ...(echo === undefined ? {} : { echo }) });
        for (const [index, { id, tool: called }] of calls.entries()) {
          const ok = index === 0;
          messages.push({ role: "tool", callId: id, tool: called, content: ok ? "21" : "It broke.", ok });
        }
        const second = await ask(model, { messages, tools });
        expect(second).toMatchObject({ text: "It is 21 degrees at noon.", calls: [], finish: "stop" });
      });

      const failure = async (content: string): Promise<ModelError> =>
        ask(model, createRequest(content)).then(
          () => Promise.reject(new Error("it answered")),
          (error: unknown) => error as ModelError,
        );

      it("says when to come back after too many requests", async () => {
        const { code, failure: found } = await failure(mockPrompts.tooMany);
        expect([code, found.retryAfterMs]).toEqual(["model_rate_limited", 7_000]);
      });

      it("calls a broken provider overloaded, after one try", async () => {
        const before = mock.getRequests().length;
        const { code, retryable, message } = await failure(mockPrompts.broken);
        expect([code, retryable]).toEqual(["model_overloaded", true]);
        expect(message.startsWith(`${model.id}: `)).toBe(true);
        expect(mock.getRequests().length - before).toBe(1);
      });

      it("tells a refused key from other refusals", async () => {
        expect(await failure(mockPrompts.refused)).toMatchObject({
          code: "model_unauthorized",
          retryable: false,
        });
      });

      it("calls a provider that hangs up unreachable", async () => {
        expect(await failure(mockPrompts.gone)).toMatchObject({ code: "model_unreachable", retryable: true });
      });

      it("takes no malformed body for an answer", async () => {
        expect(await failure(mockPrompts.malformed)).toMatchObject({
          code: "model_unreadable",
          retryable: true,
        });
      });
    });

    it("announces text and calls before the reply that holds them", async () => {
      const { told, reply } = await collectStream(model.stream(createRequest(mockPrompts.calls)));
      const text = told.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
      expect([text, reply.text]).toEqual(["Looking.", "Looking."]);
      const begun = told.flatMap((event) => (event.kind === "call" ? [event.id] : []));
      expect(begun).toEqual(reply.calls.map(({ id }) => id));
      expect(new Set(begun).size).toBe(2);
    });

    it("gives no half reply when the connection breaks in the middle of a stream", async () => {
      const events: ModelEvent[] = [];
      const reading = (async () => {
        for await (const event of model.stream(createRequest(mockPrompts.cut))) events.push(event);
      })();
      await expect(reading).rejects.toMatchObject({ code: "model_unreachable" });
      expect(events.every((event) => event.kind === "text")).toBe(true);
    });

    it("cancels before it asks where the signal is aborted already", async () => {
      const before = mock.getRequests().length;
      const signal = AbortSignal.abort();
      await expect(model.generate(createRequest(mockPrompts.calls), { signal })).rejects.toMatchObject({
        code: "cancelled",
      });
      await expect(collect(model.stream(createRequest(mockPrompts.calls), { signal }))).rejects.toMatchObject(
        {
          code: "cancelled",
        },
      );
      expect(mock.getRequests().length).toBe(before);
    });
  });
};
