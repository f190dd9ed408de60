import fc from "fast-check";
import { expect, test } from "vitest";
import { isToolOffered, remoteTool, stdioServer } from "../../../../../test/kit/fake-servers.ts";
import { toolRegistry as newRegistry } from "../../../../registry/tool-registry.ts";
import { tool } from "../../../../tools/tool.ts";
import type { RemoteTool } from "../../../../types/mcp.ts";
import { remoteToolOf } from "../../create-remote-tool.ts";
import { createSessionPins } from "./check-tool-list.ts";
import { createServerTools } from "./server-tools.ts";

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

const lists = fc.array(fc.array(fc.oneof(definitions, fc.constant(remoteTool("read"))), { maxLength: 8 }), {
  minLength: 1,
  maxLength: 6,
});

test("remote tools replace no other tools and are only offered as first listed, for any lists of a server", () => {
  fc.assert(
    fc.property(lists, fc.constantFrom("prefixed" as const, "bare" as const), (all, style) => {
      const registry = newRegistry({ allowDuplicateNames: true });
      const mine = registry.register(tool({ name: "mine", description: "Mine.", input: [], run: () => 1 }));
      const tools = createServerTools(stdioServer("files", { names: style }), {
        registry,
        judge: (_, listed) => listed.map((each) => ({ tool: each, verdict: "ok" })),
        link: { request: () => Promise.reject(), isUp: () => true, callTimeoutMs: 1_000 },
        refusal: () => undefined,
        pins: createSessionPins(),
      });
      const first = new Map<string, string>();
      for (const list of all) {
        tools.apply({ tools: list }, {});
        expect(registry.get("mine")).toBe(mine);
        const callable = registry.list().filter((each) => each !== mine && isToolOffered(registry, each.key));
        expect(callable.map(({ key }) => key).sort()).toEqual([...tools.names()].sort());
        for (const { key, tool: offered } of callable) {
          const said = JSON.stringify(remoteToolOf(offered));
          expect(first.get(key) ?? said).toBe(said);
          first.set(key, said);
          expect(list.filter(({ name }) => name === remoteToolOf(offered)?.name)).toHaveLength(1);
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
