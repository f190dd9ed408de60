import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import { Mcp, Registry, runtimeLayer, Tools } from "haft/effect";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "haft-effect-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "tools.json");
writeFileSync(
  file,
  JSON.stringify([{ name: "greet", description: "Greets", inputSchema: { type: "object" } }]),
);
const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../mcp/changing-server.ts", import.meta.url)), file],
};
const principal = { agent: "ada", allow: ["*"] };

describe("Mcp service", () => {
  it("connects the servers of the options while the layer is built, and applies their lock", async () => {
    const lock = join(folder, "haft.lock");
    writeFileSync(lock, JSON.stringify({ version: 1, servers: {} }));
    const listed = (locked: string | false) =>
      Effect.flatMap(Mcp, ({ list }) => list).pipe(
        Effect.provide(runtimeLayer({ principal, mcp: { servers: { people: server }, lock: locked } })),
        Effect.runPromise,
      );
    expect(await listed(false)).toMatchObject([
      { id: "people", status: "connected", tools: ["people/greet"] },
    ]);
    expect(await listed(lock)).toMatchObject([{ id: "people", tools: [] }]);
  });

  it("connects, calls, disconnects, lists and removes a server", async () => {
    const program = Effect.gen(function* () {
      const { connect, disconnect, list, remove } = yield* Mcp;
      const tools = yield* Tools;
      const registry = yield* Registry;
      expect(yield* list).toEqual([]);
      expect((yield* connect({ id: "people", ...server })).status).toBe("connected");
      expect(yield* tools.call("people/greet", {})).toBeDefined();
      const twice = yield* Effect.flip(connect({ id: "people", ...server }));
      expect([twice._tag, twice.message]).toEqual([
        "ConfigurationError",
        expect.stringContaining("Disconnect it first"),
      ]);
      expect(yield* disconnect("people")).toBe(true);
      expect(registry.get("people/greet")).toBeUndefined();
      expect(yield* list).toMatchObject([
        { id: "people", status: "disconnected", reason: "it was disconnected by its operator" },
      ]);
      expect([yield* remove("people"), yield* remove("people"), yield* list]).toEqual([true, false, []]);
      const failed = connect({ id: "nobody", command: join(folder, "not-there") }).pipe(
        Effect.catchTag("MCPConnectionError", ({ code }) => Effect.succeed(code)),
      );
      expect(yield* failed).toBe("mcp_unreachable");
    });
    const layer = runtimeLayer({ principal, mcp: { lock: false } });
    await Effect.runPromise(Effect.provide(program, layer));
  });
});
