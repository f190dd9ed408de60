import { expect, it } from "vitest";
import type { JsonObject } from "../../base/json/json-value.ts";
import { Haft } from "../../runtime/haft.ts";
import { fromOpenApi } from "./from-openapi.ts";

it("fromOpenApi builds no schemas at once, one schema per called operation, and each schema once for an offer", async () => {
  const looked: number[] = [];
  const operation = (index: number): JsonObject => ({
    operationId: `put${index}`,
    requestBody: {
      content: {
        "application/json": {
          schema: {
            get type() {
              looked.push(index);
              return "string";
            },
          },
        },
      },
    },
  });
  const paths = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`/things/${index}`, { put: operation(index) }]),
  );
  const { tools } = await fromOpenApi({ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:1" }], paths });
  const haft = await Haft.open({ tools: [...tools], principal: { agent: "tester", allow: ["*"] } });
  expect(looked).toEqual([]);
  await expect(haft.call("put7", { body: 1 })).rejects.toMatchObject({ code: "invalid_input" });
  expect(new Set(looked)).toEqual(new Set([7]));
  haft.offer();
  const once = looked.length;
  expect(new Set(looked).size).toBe(1_000);
  haft.offer();
  expect(looked).toHaveLength(once);
  await haft.close();
});
