import { expect, it } from "vitest";
import type { DiscoveredServer } from "./discovered-server.ts";
import { importServer } from "./import-server.ts";

const found = (config: object): DiscoveredServer => ({
  id: "gh",
  from: { client: "vscode", file: "/f", scope: "project", name: "gh" },
  config: { id: "gh", ...config } as NonNullable<DiscoveredServer["config"]>,
  problems: [],
  shown: "",
  needsInput: [],
});
const taking = {
  id: "gh",
  filling: { home: "/home/ada", project: "/work/app", separator: "/" },
  taken: new Set<string>(),
};

it("importServer fills in known folders and reports the remaining placeholders", () => {
  const config = {
    command: `\${userHome}/bin/x`,
    args: [`\${workspaceFolder}/a`, `\${input:port}`],
    cwd: `\${env:HOME}`,
  };
  expect(importServer(found(config), taking)).toEqual({
    server: { command: "/home/ada/bin/x", args: ["/work/app/a", `\${input:port}`], cwd: "/home/ada" },
    secrets: [],
    unfilled: ["port"],
  });
});

it("importServer names secrets after the variable in the file or the variable of the server", () => {
  const env = { A: { secret: "A" }, B: `\${env:MY_B}`, C: `\${input:c-key}`, D: `\${D_KEY}` };
  const taken = importServer(found({ command: "x", env }), taking)!;
  expect(taken.server).toMatchObject({
    env: { A: { secret: "A" }, B: { secret: "MY_B" }, C: { secret: "C" }, D: { secret: "D_KEY" } },
  });
  expect(taken.secrets).toEqual([
    { name: "A", for: "env A" },
    { name: "MY_B", for: "env B" },
    { name: "C", for: "env C", format: `\${input:c-key}` },
    { name: "D_KEY", for: "env D" },
  ]);
});

it("importServer prefixes a secret whose name is taken by another server", () => {
  const taken = importServer(found({ command: "x", env: { API_KEY: { secret: "API_KEY" } } }), {
    ...taking,
    taken: new Set(["API_KEY"]),
  })!;
  expect(taken.server).toMatchObject({ env: { API_KEY: { secret: "GH_API_KEY" } } });
});

it("importServer turns a header with a placeholder into one secret", () => {
  const taken = importServer(
    found({ url: "https://h/mcp", headers: { Authorization: `Bearer \${input:t}` } }),
    taking,
  )!;
  expect(taken.server).toEqual({
    url: "https://h/mcp",
    headers: { Authorization: { secret: "GH_AUTHORIZATION" } },
  });
  expect(taken.secrets).toEqual([
    { name: "GH_AUTHORIZATION", for: "header Authorization", format: `Bearer \${input:t}` },
  ]);
});

it("importServer returns undefined without a valid configuration", () => {
  expect(importServer({ ...found({}), config: undefined }, taking)).toBeUndefined();
});
