import fc from "fast-check";
import { expect, test } from "vitest";
import { isOffered, local, remote } from "../../../../../test/kit/fake-upstream.ts";
import { registry as newRegistry } from "../../../../catalog/registry.ts";
import { tool } from "../../../../tool/tool.ts";
import type { RemoteTool } from "../../../../words/mcp.ts";
import { remoteOf } from "../../to-tool.ts";
import { serverTools } from "./server-tools.ts";
import { sessionPins } from "./session-pins.ts";

const names = fc.oneof(
  fc.constantFrom("read", "Read", "re-ad", "mine", "a.b", "a-2E-b", "__proto__", "then", "rеad", ""),
  fc.string({ maxLength: 70 }),
);

const schemas = fc.constantFrom<unknown>(
  { type: "object" },
  { type: "object", properties: { a: { default: 1 } } },
  {},
  { type: "string" },
  null,
  [],
);

const definitions = fc.record(
  {
    name: names,
    description: fc.string(),
    inputSchema: schemas,
    annotations: fc.dictionary(fc.string(), fc.boolean()),
  },
  { requiredKeys: ["name", "inputSchema"] },
) as unknown as fc.Arbitrary<RemoteTool>;

const lists = fc.array(fc.array(fc.oneof(definitions, fc.constant(remote("read"))), { maxLength: 8 }), {
  minLength: 1,
  maxLength: 6,
});

test("whatever a server lists, what it calls its tools reaches nobody else's, and only what was seen first is offered", () => {
  fc.assert(
    fc.property(lists, fc.constantFrom("prefixed" as const, "bare" as const), (all, style) => {
      const registry = newRegistry({ allowDuplicateNames: true });
      const mine = registry.register(tool({ name: "mine", description: "Mine.", input: [], run: () => 1 }));
      const tools = serverTools(local("files", { names: style }), {
        registry,
        judge: (_, listed) => listed.map((each) => ({ tool: each, verdict: "ok" })),
        link: { request: () => Promise.reject(), isUp: () => true, callTimeoutMs: 1_000 },
        refusal: () => undefined,
        pins: sessionPins(),
      });
      const first = new Map<string, string>();
      for (const list of all) {
        tools.apply({ tools: list }, {});
        expect(registry.get("mine")).toBe(mine);
        const callable = registry.list().filter((each) => each !== mine && isOffered(registry, each.key));
        expect(callable.map(({ key }) => key).sort()).toEqual([...tools.names()].sort());
        for (const { key, tool: offered } of callable) {
          const said = JSON.stringify(remoteOf(offered));
          expect(first.get(key) ?? said).toBe(said);
          first.set(key, said);
          expect(list.filter(({ name }) => name === remoteOf(offered)?.name)).toHaveLength(1);
        }
        const { version } = registry;
        expect(tools.apply({ tools: structuredClone(list) }, {})).toBe(false);
        expect(registry.version).toBe(version);
      }
      tools.clear();
      expect(registry.list()).toEqual([mine]);
    }),
    { numRuns: 300 },
  );
});
