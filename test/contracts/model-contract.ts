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

/** Both methods must give the same reply, so every test runs for both. */
const modelMethods = {
  whole: (model: Model, request: ModelRequest) => model.generate(request),
  streamed: async (model: Model, request: ModelRequest) => (await collectStream(model.stream(request))).reply,
};

/** Contract of every client, over real HTTP against a mocked provider. `make` receives its address. */
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
      it("returns two calls at once, and a text after it has their replies", async () => {
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

      it("reports when to retry after too many requests", async () => {
        const { code, failure: found } = await failure(mockPrompts.tooMany);
        expect([code, found.retryAfterMs]).toEqual(["model_rate_limited", 7_000]);
      });

      it("reports a server error as overloaded, without retrying", async () => {
        const before = mock.getRequests().length;
        const { code, retryable, message } = await failure(mockPrompts.broken);
        expect([code, retryable]).toEqual(["model_overloaded", true]);
        expect(message.startsWith(`${model.id}: `)).toBe(true);
        expect(mock.getRequests().length - before).toBe(1);
      });

      it("reports a refused key as unauthorized", async () => {
        expect(await failure(mockPrompts.refused)).toMatchObject({
          code: "model_unauthorized",
          retryable: false,
        });
      });

      it("reports a closed connection as unreachable", async () => {
        expect(await failure(mockPrompts.gone)).toMatchObject({ code: "model_unreachable", retryable: true });
      });

      it("rejects a malformed body", async () => {
        expect(await failure(mockPrompts.malformed)).toMatchObject({
          code: "model_unreadable",
          retryable: true,
        });
      });
    });

    it("emits text and calls before the reply that contains them", async () => {
      const { reported, reply } = await collectStream(model.stream(createRequest(mockPrompts.calls)));
      const text = reported.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
      expect([text, reply.text]).toEqual(["Looking.", "Looking."]);
      const begun = reported.flatMap((event) => (event.kind === "call" ? [event.id] : []));
      expect(begun).toEqual(reply.calls.map(({ id }) => id));
      expect(new Set(begun).size).toBe(2);
    });

    it("emits no partial reply when the connection breaks in the middle of a stream", async () => {
      const events: ModelEvent[] = [];
      const reading = (async () => {
        for await (const event of model.stream(createRequest(mockPrompts.cut))) events.push(event);
      })();
      await expect(reading).rejects.toMatchObject({ code: "model_unreachable" });
      expect(events.every((event) => event.kind === "text")).toBe(true);
    });

    it("rejects without a request when the signal is already aborted", async () => {
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
