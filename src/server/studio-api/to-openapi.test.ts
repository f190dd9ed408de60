import { describe, expect, it } from "vitest";
import { studioScene } from "../../../test/kit/studio-scene.ts";
import { routes } from "./routes.ts";
import { answerSchemas } from "./schemas/answer-schemas.ts";

describe("OpenAPI document", () => {
  it("names every route and every schema, and no others", async () => {
    const { get } = await studioScene();
    const document = await get<{
      openapi: string;
      paths: Record<string, Record<string, { responses: object }>>;
      components: { schemas: Record<string, unknown> };
    }>("/openapi.json");
    expect(document.openapi).toBe("3.1.0");
    const written = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(written.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(Object.keys(document.components.schemas)).toEqual(Object.keys(answerSchemas));
    const refs = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name!,
    );
    for (const name of refs) expect(document.components.schemas).toHaveProperty(name);
    for (const { answer } of routes) {
      if (!["any", "events", "text"].includes(answer)) expect(answerSchemas).toHaveProperty(answer);
    }
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((each) => (each as unknown as { operationId: string }).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
