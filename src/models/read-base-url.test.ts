import { expect, it } from "vitest";
import { wireServer } from "../../test/kit/wire-server.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openai } from "./openai.ts";

const request = { messages: [{ role: "user", content: "Hi" }], tools: [] } as const;
const apiKey = "sk-test-key-1234567";
const clients = { openai, anthropic, gemini };

it.each(Object.entries(clients))("%s accepts baseURL", async (_, client) => {
  await using server = await wireServer({});
  const model = client("some-model", { apiKey, baseURL: server.url });
  await expect(model.generate(request)).rejects.toMatchObject({ name: "ModelError" });
  expect(server.requests).toHaveLength(1);
});

it.each(Object.entries(clients))(
  "%s rejects different values of baseUrl and baseURL before sending a request",
  async (_, client) => {
    const model = client("some-model", {
      apiKey,
      baseUrl: "http://127.0.0.1:1",
      baseURL: "http://127.0.0.1:2",
    });
    await expect(model.generate(request)).rejects.toThrow("They are the same setting: remove one.");
  },
);
