import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../test/kit/any-text.ts";
import type { NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import { definitionHasher, definitionOf } from "./definition.ts";
import { launchOf } from "./launch.ts";
import { lockServer, toLockable } from "./lock-server.ts";
import { readLock } from "./read-lock.ts";
import { writeLock } from "./write-lock.ts";

const server: NamedMcpServer = { id: "files", command: "files", args: ["a"], env: { KEY: "x" } };
const hash = (tool: RemoteTool, of: NamedMcpServer = server): string =>
  definitionHasher(of.id, launchOf(of))(definitionOf(tool.name, tool));

const tool: RemoteTool = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { limit: { default: 10 } } },
};

const schema = fc
  .dictionary(
    fc.string().filter((key) => key !== "__proto__" && key !== "constructor"),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 6 },
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

const anyTool: fc.Arbitrary<RemoteTool> = fc.record(
  {
    name: fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
    title: fc.string(),
    description: anyText(),
    inputSchema: schema,
    outputSchema: schema,
    annotations: schema,
  },
  { requiredKeys: ["name", "inputSchema"] },
);

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
};

type Path = readonly (string | number)[];
const pathsOf = (value: unknown, path: Path = []): readonly Path[] => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.keys(value).flatMap((key) =>
        pathsOf((value as Record<string, unknown>)[key], [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
];

/** Returns the value with a different value at one path. */
const mutated = (value: unknown, [step, ...rest]: Path): unknown => {
  if (step === undefined) {
    if (typeof value === "string") return `${value} `;
    if (typeof value === "number") return value + 1 === value ? 0 : value + 1;
    if (typeof value === "boolean") return !value;
    if (Array.isArray(value)) return [...value, null];
    if (typeof value !== "object" || value === null) return false;
    return { ...value, [`${Object.keys(value).join("")}+`]: true };
  }
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? mutated(item, rest) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, member]) => [
      key,
      key === step ? mutated(member, rest) : member,
    ]),
  );
};

describe("definition hash", () => {
  it("changes with any single change in any field", () => {
    fc.assert(
      fc.property(anyTool, fc.nat(), (given, seed) => {
        const paths = pathsOf(given).slice(1);
        const path = paths[seed % paths.length]!;
        expect(hash(mutated(given, path) as RemoteTool)).not.toBe(hash(given));
      }),
      { numRuns: 300 },
    );
  });

  it("changes when a field is removed", () => {
    fc.assert(
      fc.property(anyTool, fc.nat(), (given, seed) => {
        const fields = Object.keys(given).filter((field) => field !== "name" && field !== "inputSchema");
        fc.pre(fields.length > 0);
        const { [fields[seed % fields.length] as "title"]: _, ...rest } = given;
        expect(hash(rest as RemoteTool)).not.toBe(hash(given));
      }),
    );
  });

  it("does not depend on key order and survives writing and reading the lock", () => {
    fc.assert(
      fc.property(anyTool, (given) => {
        fc.pre(toLockable(given).ok);
        const turned = shuffled(given) as RemoteTool;
        expect(hash(turned)).toBe(hash(given));
        const text = writeLock({
          lockVersion: 1,
          servers: { files: lockServer(server, undefined, [given]) },
        });
        const kept = readLock(text).servers.files!.tools[given.name]!;
        expect(kept.hash).toBe(hash(given));
        const again = lockServer(server, undefined, [{ ...kept, name: given.name }]);
        expect(writeLock({ lockVersion: 1, servers: { files: again } })).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it("changes with the server and with how it is started", () => {
    const others: readonly NamedMcpServer[] = [
      { ...server, id: "file" },
      { ...server, command: "files2" },
      { ...server, args: ["a", "b"] },
      { ...server, cwd: "/" },
      { ...server, env: { KEY: "x", OTHER: "y" } },
      { ...server, inheritEnv: ["HOME"] },
      { id: "files", url: "https://example.com" },
    ];
    const hashes = [server, ...others].map((each) => hash(tool, each));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hash(tool, { ...server, env: { KEY: "another value" } })).toBe(hash(tool));
  });

  it("ignores icons, protocol details and metadata", () => {
    const more = { ...tool, icons: [{ src: "x" }], execution: { taskSupport: "optional" }, _meta: { a: 1 } };
    expect(hash(more)).toBe(hash(tool));
  });

  it("includes whitespace of the description", () => {
    expect(hash({ ...tool, description: "Reads  a file." })).not.toBe(hash(tool));
    expect(hash({ ...tool, description: "Reads a file.\n" })).not.toBe(hash(tool));
  });
});
