import { expect, it } from "vitest";
import { callAllOperations } from "../kit/openapi/recorded-requests.ts";
import { prismFor } from "./kit/openapi/prism-for.ts";
import { randomDocument } from "./kit/openapi/random-document.ts";

const seeds = process.env.HAFT_SOAK === undefined ? 12 : 400;

it("Prism accepts every request of tools made from random documents", async () => {
  let judged = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const document = randomDocument(seed);
    const [{ calls, tools, losses }, problemOf] = await Promise.all([
      callAllOperations(document, 2, seed),
      prismFor(document),
    ]);
    const operations = Object.values(document.paths as object).flatMap((item) => Object.keys(item as object));
    expect(tools).toBe(operations.length);
    expect(losses.filter(({ what }) => !what.includes("trusted"))).toEqual([]);
    for (const call of calls) {
      expect(call.request, `seed ${seed}: ${call.operation}: ${call.refused}`).toBeDefined();
      expect(
        problemOf(call),
        `seed ${seed}: ${call.operation} ${JSON.stringify(call.input)}`,
      ).toBeUndefined();
      judged++;
    }
  }
  expect(judged).toBeGreaterThan(100);
});
