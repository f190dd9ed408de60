import * as Effect from "effect/Effect";
import { expect, test } from "vitest";
import { layerLaws } from "../../test/contracts/layer-laws.ts";
import { notesOf, testCall } from "../../test/contracts/test-call.ts";
import type { AuthorizedCall } from "../words/call.ts";
import type { Handler } from "../words/layer.ts";
import { succeeded } from "../words/outcome.ts";
import type { Validation } from "../words/validator.ts";
import { inputSchema } from "./input-schema.ts";

layerLaws("inputSchema", () => inputSchema("strict"));
layerLaws("lenient inputSchema", () => inputSchema("lenient"));

/** Wants a city, and fills in a unit. */
const validate = (value: unknown): Validation => {
  const given = value as { city?: unknown; unit?: unknown };
  if (typeof given.city !== "string")
    return { ok: false, issues: [{ pointer: "/city", message: "must be a text" }] };
  given.unit ??= "celsius";
  return { ok: true, value };
};

const ask = async (mode: "strict" | "lenient", call: AuthorizedCall) => {
  const seen: AuthorizedCall[] = [];
  const next: Handler = (each) => {
    seen.push(each);
    return Effect.succeed(succeeded("ran"));
  };
  return { outcome: await Effect.runPromise(inputSchema(mode)(next)(call)), seen };
};

const changedTo = (input: unknown): AuthorizedCall => ({ ...testCall({ validate }), input });

test("the input that was granted is not judged a second time", async () => {
  const call = testCall({ input: { city: 7 }, validate });
  expect((await ask("strict", call)).outcome).toEqual(succeeded("ran"));
});

test("a changed input that keeps to the schema goes on as it is", async () => {
  const input = Object.freeze({ city: "Rome" });
  const call = changedTo(input);
  const { outcome, seen } = await ask("strict", call);
  expect(outcome).toEqual(succeeded("ran"));
  expect(seen).toEqual([call]);
  expect(input).toEqual({ city: "Rome" });
});

test("strict answers a changed input that breaks the schema, with the place and the reason", async () => {
  const { outcome, seen } = await ask("strict", changedTo({ city: 7 }));
  expect(outcome).toMatchObject({
    failure: { code: "invalid_input", ran: false, issues: [{ pointer: "/city", message: "must be a text" }] },
  });
  expect(outcome).toHaveProperty("failure.message", expect.stringContaining("/city: must be a text"));
  expect(seen).toEqual([]);
});

test("lenient passes a changed input that breaks the schema on, and the ledger is told", async () => {
  const call = changedTo({ city: 7 });
  const { outcome, seen } = await ask("lenient", call);
  expect(outcome).toEqual(succeeded("ran"));
  expect(seen[0]).toBe(call);
  expect(notesOf(call)).toEqual(["inputSchema: a changed input breaks the schema at /city"]);
});

test("a changed input that is not JSON breaks every schema", async () => {
  const { outcome } = await ask("strict", changedTo({ city: "Rome", at: new Date(0) }));
  expect(outcome).toMatchObject({ failure: { code: "invalid_input", issues: [{ pointer: "/at" }] } });
});
