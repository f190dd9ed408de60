import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { haft } from "./haft.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-migrate-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Migrated {
  readonly text: string;
  /** The places to check, as `line: message`. */
  readonly notes: readonly string[];
}

/** Migrates a file with this text, and checks that a second run changes nothing. */
const migrate = async (text: string, name = "file.ts"): Promise<Migrated> => {
  const file = join(folder, randomUUID(), name);
  await mkdir(dirname(file));
  await writeFile(file, text);
  const { code, out, error } = await haft(["migrate", "0.3", file, "--json"]);
  expect([code, error]).toEqual([0, ""]);
  const { files } = JSON.parse(out);
  const migrated = await readFile(file, "utf8");
  const again = JSON.parse((await haft(["migrate", "0.3", file, "--json"])).out);
  expect(again.files.flatMap(({ edits }: { readonly edits: readonly unknown[] }) => edits)).toEqual([]);
  expect(await readFile(file, "utf8")).toBe(migrated);
  const notes: readonly { readonly line: number; readonly message: string }[] = files[0]?.notes ?? [];
  return { text: migrated, notes: notes.map(({ line, message }) => `${line}: ${message}`) };
};

const expectMigrated = async (before: string, after: string, name?: string): Promise<void> => {
  expect(await migrate(before, name)).toEqual({ text: after, notes: [] });
};

describe("imports", () => {
  it("renames imports and the uses of the imported names", () =>
    expectMigrated(
      'import { Outside, outsideLayer, type OutsideClient } from "haft/effect";\n' +
        "const layer = outsideLayer({});\n" +
        "const client: OutsideClient = yield_(Outside);\n",
      'import { HttpEgress, httpEgressLayer, type HttpEgressClient } from "haft/effect";\n' +
        "const layer = httpEgressLayer({});\n" +
        "const client: HttpEgressClient = yield_(HttpEgress);\n",
    ));

  it.each([
    ['import { agentHandler } from "haft/ui";', 'import { agentHandler } from "haft/chat";'],
    ["import 'haft/bridges/mastra';", "import 'haft/integrations/mastra';"],
    [
      'import type { BridgeOptions as B } from "haft/bridges/mastra";',
      'import type { IntegrationOptions as B } from "haft/integrations/mastra";',
    ],
    ['import { Outside as HttpEgress } from "haft/effect";', 'import { HttpEgress } from "haft/effect";'],
    ['import { type Run as ToolFunction } from "haft";', 'import { type ToolFunction } from "haft";'],
    ['const ui = await import("haft/ui");', 'const ui = await import("haft/chat");'],
    ["const ui = await import(`haft/ui`);", "const ui = await import(`haft/chat`);"],
    ['const ui = require("haft/ui");', 'const ui = require("haft/chat");'],
    ['import ui = require("haft/ui");', 'import ui = require("haft/chat");'],
    ['type A = import("haft/ui").AgentHandler;', 'type A = import("haft/chat").AgentHandler;'],
    ['type A = import("haft/effect").OutsideClient;', 'type A = import("haft/effect").HttpEgressClient;'],
    ['let a: typeof import("haft/effect").Outside;', 'let a: typeof import("haft/effect").HttpEgress;'],
  ])("%s", (before, after) => expectMigrated(before, after));

  it("keeps aliases, and renames nothing but the imported name", () =>
    expectMigrated(
      'import { Outside as O } from "haft/effect";\nO.x(O);\n',
      'import { HttpEgress as O } from "haft/effect";\nO.x(O);\n',
    ));

  it("looks names up by entry point", () =>
    expectMigrated(
      'import type { RunRecord } from "haft";\nimport type { RunRecord as Mine } from "haft/agent";\n' +
        'import type { WorkerOptions } from "haft/fleet";\nimport type { WorkerOptions as Options } from "haft/sandbox";\n',
      'import type { RunRecord } from "haft";\nimport type { ExperimentRun as Mine } from "haft/agent";\n' +
        'import type { WorkerOptions } from "haft/fleet";\nimport type { ToolWorkerOptions as Options } from "haft/sandbox";\n',
    ));

  it("leaves packages with similar names unchanged", () => {
    const text =
      'import { Outside } from "haft-effect";\nimport { Run } from "./haft";\nimport x from "@acme/haft/ui";\n';
    return expectMigrated(text, text);
  });

  it("renames members of namespaces, in values, types and JSX", () =>
    expectMigrated(
      'import * as h from "haft/effect";\n' +
        "const client: h.OutsideClient = h.Outside.client;\nclass A extends h.Corridor {}\n" +
        "const page = <h.Outside>{h.outsideLayer}</h.Outside>;\n",
      'import * as h from "haft/effect";\n' +
        "const client: h.HttpEgressClient = h.HttpEgress.client;\nclass A extends h.Pipeline {}\n" +
        "const page = <h.HttpEgress>{h.httpEgressLayer}</h.HttpEgress>;\n",
      "file.tsx",
    ));

  it("renames what is destructured from a module, and keeps the local names", () =>
    expectMigrated(
      'const { Outside, outsideLayer: layer, Corridor = 1 } = await import("haft/effect");\n' +
        'const { OutsideError } = require("haft");\n' +
        'import("haft/effect").then(({ Outside }) => Outside);\nimport("haft/effect").then((m) => m.Outside);\n' +
        'const inner = (await import("haft/effect")).outsideLayer;\n',
      'const { HttpEgress: Outside, httpEgressLayer: layer, Pipeline: Corridor = 1 } = await import("haft/effect");\n' +
        'const { HttpEgressError: OutsideError } = require("haft");\n' +
        'import("haft/effect").then(({ HttpEgress: Outside }) => Outside);\nimport("haft/effect").then((m) => m.HttpEgress);\n' +
        'const inner = (await import("haft/effect")).httpEgressLayer;\n',
      "file.mjs",
    ));

  it("keeps the old name when the new name is in use", async () => {
    const { text, notes } = await migrate(
      'import type { Run } from "haft";\nconst ToolFunction = 1;\nlet run: Run;\n',
    );
    expect(text).toBe(
      'import type { ToolFunction as Run } from "haft";\nconst ToolFunction = 1;\nlet run: Run;\n',
    );
    expect(notes).toEqual(["1: ToolFunction is in use in this file: it is imported as Run."]);
  });
});

describe("scopes", () => {
  it.each([
    ["a parameter", "function f(Outside: number) { return Outside; }"],
    ["a default of a parameter", "const f = (Outside = 1, b = Outside) => b;"],
    ["a variable of a block", "{ const Outside = 1; use(Outside); }"],
    ["a hoisted variable", "function f() { use(Outside); if (x) { var Outside = 1; } }"],
    ["a hoisted function", "function f() { Outside(); function Outside() {} }"],
    ["a caught error", "try {} catch (Outside) { use(Outside); }"],
    ["a loop variable", "for (const Outside of all) use(Outside);"],
    ["a destructured name", "function f() { const { a: [Outside], ...rest } = x; use(Outside); }"],
    ["the name of a class expression", "const A = class Outside { m() { return Outside; } };"],
    ["the name of a function expression", "const f = function Outside() { return Outside; };"],
    ["a namespace", "namespace N { const Outside = 1; export const x = Outside; }"],
    ["a property", "use(a.Outside, { Outside: 1 }, class { Outside = 1; Outside() {} });"],
    ["a label", "Outside: for (;;) { break Outside; }"],
    ["a type parameter", "function f<Outside>(a: Outside): Outside { return a; }"],
    ["a type parameter of an alias", "type A<Outside> = Outside[];"],
    ["an inferred type", "type A<T> = T extends (infer Outside)[] ? Outside : never;"],
    ["the key of a mapped type", "type A = { [Outside in string]: Outside };"],
    ["a type of a block", "{ type Outside = 1; let a: Outside; }"],
    [
      "a field of a type",
      "interface A { Outside: 1; f(Outside: number): void; new (Outside: 1): A; [Outside: string]: unknown }",
    ],
    ["a label of a tuple", "type A = [Outside: number];"],
    ["a member of an enum", "enum E { Outside = 1, Other = Outside }"],
  ])("leaves %s with the name of an import unchanged", (_, code) =>
    expectMigrated(
      `import { Outside } from "haft/effect";\n${code}\n`,
      `import { HttpEgress } from "haft/effect";\n${code}\n`,
    ),
  );

  it("distinguishes types from values of the same name", () =>
    expectMigrated(
      'import type { Run } from "haft";\nfunction f(Run: number, run: Run) { let other: Run; return Run; }\n' +
        "{ type Run = 1; let a: Run; }\ntype B<T> = T extends (infer Run)[] ? Run : Run;\n",
      'import type { ToolFunction } from "haft";\nfunction f(Run: number, run: ToolFunction) { let other: ToolFunction; return Run; }\n' +
        "{ type Run = 1; let a: Run; }\ntype B<T> = T extends (infer Run)[] ? Run : ToolFunction;\n",
    ));

  it("renames every kind of use", () =>
    expectMigrated(
      'import { Outside, type OutsideClient } from "haft/effect";\n' +
        "const all = { Outside, other: Outside, [Outside]: 1 };\nlet a: typeof Outside, b: Map<OutsideClient, OutsideClient[]>;\n" +
        "class A extends Outside<OutsideClient> implements OutsideClient { Outside = Outside; }\n" +
        "interface B extends OutsideClient {}\nconst { x = Outside } = a;\nconst c = a as OutsideClient satisfies OutsideClient;\n" +
        "@Outside class C {}\nexport default Outside;\n",
      'import { HttpEgress, type HttpEgressClient } from "haft/effect";\n' +
        "const all = { Outside: HttpEgress, other: HttpEgress, [HttpEgress]: 1 };\nlet a: typeof HttpEgress, b: Map<HttpEgressClient, HttpEgressClient[]>;\n" +
        "class A extends HttpEgress<HttpEgressClient> implements HttpEgressClient { Outside = HttpEgress; }\n" +
        "interface B extends HttpEgressClient {}\nconst { x = HttpEgress } = a;\nconst c = a as HttpEgressClient satisfies HttpEgressClient;\n" +
        "@HttpEgress class C {}\nexport default HttpEgress;\n",
    ));
});

describe("re-exports", () => {
  it("keep their exported names and are reported", async () => {
    const { text, notes } = await migrate(
      'export { OutsideError, Haft } from "haft";\nexport { type Run as MyRun, type Value } from "haft";\n' +
        'import { Outside } from "haft/effect";\nexport { Outside };\nexport { Outside as Mine };\n',
    );
    expect(text).toBe(
      'export { HttpEgressError as OutsideError, Haft } from "haft";\nexport { type ToolFunction as MyRun, type ValueOutcome as Value } from "haft";\n' +
        'import { HttpEgress } from "haft/effect";\nexport { HttpEgress as Outside };\nexport { HttpEgress as Mine };\n',
    );
    expect(notes).toEqual([
      "1: Your module still exports OutsideError, which is HttpEgressError of Haft now.",
      "2: Your module still exports Value, which is ValueOutcome of Haft now.",
      "4: Your module still exports Outside, which is HttpEgress of Haft now.",
    ]);
  });

  it("of everything change the path, and are reported if names have changed", async () => {
    const { text, notes } = await migrate(
      'export * from "haft/bridges/mastra";\nexport * as ui from "haft/ui";\n',
    );
    expect(text).toBe('export * from "haft/integrations/mastra";\nexport * as ui from "haft/chat";\n');
    expect(notes).toEqual([
      "1: Your module exports everything of haft/integrations/mastra, where names have changed. Check the modules that import it.",
    ]);
  });
});

describe("options", () => {
  const elsewhere = "Check for `outside` (now `httpEgress`) and `mcp.spill` (now `mcp.truncateToFile`).";

  it.each([
    ["Haft.open", 'import { Haft } from "haft";\nHaft.open(OPTIONS);\n'],
    ["Haft.open of a namespace", 'import * as h from "haft";\nh.Haft.open(OPTIONS);\n'],
    ["Haft.open of a dynamic import", 'const { Haft } = await import("haft");\nHaft.open(OPTIONS);\n'],
    ["defineConfig", 'import { defineConfig as config } from "haft";\nconfig(OPTIONS);\n'],
    ["runtimeLayer", 'import { runtimeLayer } from "haft/effect";\nruntimeLayer(OPTIONS);\n'],
    [
      "a typed variable",
      'import type { HaftOptions } from "haft";\nconst o: Partial<HaftOptions> = OPTIONS;\n',
    ],
    ["a typed property", 'import type { HaftOptions } from "haft";\nclass A { o: HaftOptions = OPTIONS }\n'],
    [
      "a typed parameter",
      'import type { HaftOptions } from "haft";\nconst f = (o: HaftOptions = OPTIONS) => o;\n',
    ],
    [
      "satisfies",
      'import type { HaftConfig } from "haft";\nexport const o = OPTIONS satisfies HaftConfig;\n',
    ],
    [
      "the result of an arrow",
      'import type { HaftOptions } from "haft";\nconst f = (): HaftOptions => (OPTIONS);\n',
    ],
    [
      "the result of a function",
      'import type { HaftOptions } from "haft";\nasync function f(): Promise<HaftOptions> { return OPTIONS; }\n',
    ],
    [
      "a constant",
      'import { Haft } from "haft";\nconst o = OPTIONS;\nHaft.open(o);\nHaft.open({ ...o, tools: [] });\n',
    ],
    [
      "a condition",
      'import { Haft } from "haft";\nHaft.open({ ...(x ? OPTIONS : {}), ...(y && OPTIONS) });\n',
    ],
  ])("are renamed in %s", async (_, code) => {
    const before = "{ tools: [], outside: { allow: [] }, mcp: { 'spill': false, servers: {} } }";
    const after = "{ tools: [], httpEgress: { allow: [] }, mcp: { 'truncateToFile': false, servers: {} } }";
    await expectMigrated(code.replaceAll("OPTIONS", before), code.replaceAll("OPTIONS", after));
  });

  it("keep the variable of a shorthand field", () =>
    expectMigrated(
      'import { Haft } from "haft";\nHaft.open({ outside });\n',
      'import { Haft } from "haft";\nHaft.open({ httpEgress: outside });\n',
    ));

  it.each([
    ["export default { outside: {} };\n", "export default { httpEgress: {} };\n", "haft.config.ts"],
    [
      "const o = { outside: {} };\nexport default o;\n",
      "const o = { httpEgress: {} };\nexport default o;\n",
      "haft.config.mjs",
    ],
    ["module.exports = { outside: {} };\n", "module.exports = { httpEgress: {} };\n", "haft.config.cjs"],
  ])("are renamed in the default export of a configuration: %s", (before, after, name) =>
    expectMigrated(before, after, name),
  );

  it("are kept in the default export of another file", () =>
    expectMigrated(
      'import "haft";\nexport default { outside: {} };\n',
      'import "haft";\nexport default { outside: {} };\n',
    ));

  it.each([
    ["Haft.open(options)", "options that are built elsewhere", "const options = make();"],
    ["Haft.open({ ...options })", "options that are built elsewhere", 'import options from "./options.ts";'],
    ["Haft.open({ [key]: 1 })", "a computed key", ""],
    ["Haft.open(await load())", "options that are built elsewhere", ""],
  ])("are reported when they are not an object literal: %s", async (call, why, more) => {
    const text = `import { Haft } from "haft"; ${more}\n${call};\n`;
    expect(await migrate(text)).toEqual({ text, notes: [`2: Not changed: ${why}. ${elsewhere}`] });
  });

  it("of a constant with other uses are reported", async () => {
    const text =
      'import { runtimeLayer } from "haft/effect";\nconst o = { outside: 1 };\nruntimeLayer(o);\nuse(o);\n';
    const why = "o has other uses besides these options";
    expect(await migrate(text)).toEqual({ text, notes: [`2: Not changed: ${why}. ${elsewhere}`] });
  });

  it("with both names are reported", async () => {
    const text =
      'import { runtimeLayer } from "haft/effect";\nruntimeLayer({ outside: 1, httpEgress: 2 });\n';
    expect(await migrate(text)).toEqual({
      text,
      notes: ['2: Not changed: there are both "outside" and "httpEgress". Remove one of them.'],
    });
  });

  it("of JSON configuration keep comments and formatting", () =>
    expectMigrated(
      '// outside\n{\n\t"outside" : { "allow": [] }, // here\n  "mcp": {"spill": false,},\n  "other": { "outside": 1 }\n}\n',
      '// outside\n{\n\t"httpEgress" : { "allow": [] }, // here\n  "mcp": {"truncateToFile": false,},\n  "other": { "outside": 1 }\n}\n',
      "haft.config.json",
    ));

  it("of JSON configuration with both names are reported", async () => {
    const text = '{\n  "outside": 1,\n  "httpEgress": 2\n}\n';
    expect(await migrate(text, "haft.config.json")).toEqual({
      text,
      notes: ['2: Not changed: there are both "outside" and "httpEgress". Remove one of them.'],
    });
  });
});

describe("code that is reported and not changed", () => {
  it.each([
    ['vi.mock("haft/ui");', 'the string "haft/ui". The path is "haft/chat" now.'],
    [
      'require.resolve("haft/bridges/mastra");',
      'the string "haft/bridges/mastra". The path is "haft/integrations/mastra" now.',
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code that is migrated
    ["import(`haft/bridges/${name}`);", 'the string "haft/bridges/". The path is "haft/integrations/" now.'],
    ["// see haft/ui", "haft/ui in a comment. It is haft/chat now."],
    [
      '/** @type {import("haft/bridges/mastra").MastraTool} */',
      "haft/bridges/ in a comment. It is haft/integrations/ now.",
    ],
    [
      'import * as h from "haft/effect"; h["Outside"];',
      "a computed name of haft/effect. Check which export it reads.",
    ],
    [
      'import * as h from "haft/effect"; use(h);',
      "the module haft/effect is passed on as an object. Check which exports are read from it.",
    ],
    [
      'const f = () => import("haft/effect");',
      "the module haft/effect is passed on as a promise. Check which exports are read from it.",
    ],
    [
      'const { ...rest } = await import("haft/effect");',
      "the rest of haft/effect. Check which exports are read from it.",
    ],
    [
      'const { [key]: x } = await import("haft/effect");',
      "a computed key of haft/effect. Check which name it reads.",
    ],
    [
      'import { call } from "haft/effect"; Effect.catchTag("OutsideError", f);',
      'the name "OutsideError". The tag of the error is "HttpEgressError" now.',
    ],
    [
      'import { call } from "haft/effect"; Effect.catchTags({ OutsideError: f });',
      'the name "OutsideError". The tag of the error is "HttpEgressError" now.',
    ],
    [
      'declare module "haft" { interface Extra {} }',
      "the declarations for haft. Check them for names that have changed.",
    ],
  ])("%s", async (text, note) => {
    expect(await migrate(text)).toEqual({ text, notes: [`1: Not changed: ${note}`] });
  });

  it.each(["(q) => true", "check", "checks.of(1)"])(
    "reports approval(%s), which was removed",
    async (argument) => {
      const text = `import { approval } from "haft/layers";\napproval(${argument});\n`;
      const { text: after, notes } = await migrate(text);
      expect(after).toBe(text);
      expect(notes).toEqual([
        expect.stringMatching(/^2: approval\(fn\) was removed\. Use authorize\(fn\) of haft\/layers/),
      ]);
    },
  );

  it.each([
    ["haft/selection", "usageScorer", "embeddingScorer"],
    ["haft/fleet", "openPool", "openWorker"],
    ["haft/fleet", "remote", "haft\\.submit"],
  ])("reports calls of %s's %s, which was removed, and what to use instead", async (entry, name, instead) => {
    const text = `import { ${name} } from "${entry}";\n${name}(haft);\n`;
    const { text: after, notes } = await migrate(text);
    expect(after).toBe(text);
    expect(notes).toEqual([expect.stringMatching(new RegExp(`^2: ${name} was removed\\. .*${instead}`))]);
  });

  it.each(["", "{ when: () => true }"])("does not report approval(%s), which still exists", (argument) => {
    const text = `import { approval } from "haft/layers";\napproval(${argument});\n`;
    return expectMigrated(text, text);
  });

  it("does not report members in files that do not import their owner", () => {
    const text = 'import { tool } from "haft";\ntools.neverAsks("x");\nset.add(1);\n';
    return expectMigrated(text, text);
  });
});

describe("files", () => {
  const before = 'import { agentHandler } from "haft/ui";\n';
  const after = 'import { agentHandler } from "haft/chat";\n';

  /** A folder with these files. */
  const project = async (files: Readonly<Record<string, string | Buffer>>): Promise<string> => {
    const place = join(folder, randomUUID());
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(place, name)), { recursive: true });
      await writeFile(join(place, name), text);
    }
    return place;
  };
  const read = (place: string, name: string) => readFileSync(join(place, name), "utf8");

  it.each(["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"])(
    "are migrated if they end in .%s",
    (ending) => expectMigrated(before, after, `file.${ending}`),
  );

  it("keep CRLF, a byte order mark, a shebang, a missing last line break and everything else", async () => {
    const text =
      "#!/usr/bin/env node\r\n// é😀\r\nimport  {agentHandler}  from 'haft/ui'\r\n\r\n\tagentHandler ( )  ;";
    await expectMigrated(text, text.replace("haft/ui", "haft/chat"));
    await expectMigrated(`\uFEFF${before}`, `\uFEFF${after}`);
  });

  it("in JavaScript may have JSX and a top-level return", async () => {
    await expectMigrated(
      `${before}const page = <p>{agentHandler}</p>;\n`,
      `${after}const page = <p>{agentHandler}</p>;\n`,
      "a.js",
    );
    for (const name of ["a.cjs", "a.js"])
      await expectMigrated('require("haft/ui");\nreturn;\n', 'require("haft/chat");\nreturn;\n', name);
  });

  it("may have templates with invalid escapes", () =>
    expectMigrated(`${before}String.raw\`\\u{\`;\n`, `${after}String.raw\`\\u{\`;\n`));

  it("in node_modules, dist and .git, and behind symbolic links, are skipped", async () => {
    const names = [
      "node_modules/a.ts",
      "sub/node_modules/a.ts",
      "dist/a.ts",
      ".git/a.ts",
      "notes.md",
      "data.json",
    ];
    const place = await project(
      Object.fromEntries([...names, "src/deep/a.ts"].map((name) => [name, before])),
    );
    const other = await project({ "a.ts": before });
    await symlink(join(other, "a.ts"), join(place, "link.ts"));
    await symlink(other, join(place, "linked"));
    const { code, out } = await haft(["migrate", "0.3", place]);
    expect(code).toBe(0);
    expect(out).toContain("Changed 1 file with 1 edit.");
    expect(read(place, "src/deep/a.ts")).toBe(after);
    for (const name of names) expect([name, read(place, name)]).toEqual([name, before]);
    expect(read(other, "a.ts")).toBe(before);
  });

  it("are migrated once when two paths name them", async () => {
    const place = await project({ "a.ts": before });
    const { out } = await haft(["migrate", "0.3", place, join(place, "a.ts"), `${place}/./a.ts`, "--json"]);
    expect(JSON.parse(out).files).toHaveLength(1);
  });

  it("are not written when nothing changes", async () => {
    const place = await project({ "a.ts": 'import { Haft } from "haft";\n' });
    await utimes(join(place, "a.ts"), 1, 1);
    await haft(["migrate", "0.3", place]);
    expect((await stat(join(place, "a.ts"))).mtimeMs).toBe(1000);
  });

  it("with syntax errors are reported, and the others are migrated", async () => {
    const place = await project({
      "bad.ts": `${before}\nconst x = ;\n`,
      "binary.ts": Buffer.from([0x68, 0xff, 0xfe]),
      "haft.config.json": "{ broken",
      "good.ts": before,
      "unrelated.ts": "const x = ;",
    });
    const { code, out, error } = await haft(["migrate", "0.3", place]);
    expect(code).toBe(1);
    expect(error.split("\n")).toEqual([
      `✗ ${join(place, "bad.ts")}: line 3: Unexpected token`,
      `✗ ${join(place, "binary.ts")}: is not UTF-8`,
      `✗ ${join(place, "haft.config.json")}: is not JSON`,
      "",
    ]);
    expect(out).toContain("Changed 1 file with 1 edit. 3 files could not be migrated.");
    expect(read(place, "good.ts")).toBe(after);
    expect(read(place, "bad.ts")).toBe(`${before}\nconst x = ;\n`);
  });
});

describe("the command", () => {
  const before =
    'import { Haft } from "haft";\nimport { agentHandler } from "haft/ui";\n\nHaft.open({ outside: {} });\nvi.mock("haft/ui");\n';

  const written = async (text: string): Promise<string> => {
    const file = join(folder, `${randomUUID()}.ts`);
    await writeFile(file, text);
    return file;
  };

  it("prints a diff and writes nothing with --dry-run", async () => {
    const file = await written(before);
    const { code, out } = await haft(["migrate", "0.3", file, "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toBe(
      `--- ${file}\n+++ ${file}\n@@ -2 +2 @@\n-import { agentHandler } from "haft/ui";\n+import { agentHandler } from "haft/chat";\n` +
        "@@ -4 +4 @@\n-Haft.open({ outside: {} });\n+Haft.open({ httpEgress: {} });\n\nTo check by hand\n" +
        `! ${file}:5  Not changed: the string "haft/ui". The path is "haft/chat" now.\n\n` +
        "Would change 1 file with 2 edits. 1 place to check.\n",
    );
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("prints files, edits and notes with --json", async () => {
    const file = await written(before);
    const { out } = await haft(["migrate", "0.3", file, "--json", "--dry-run"]);
    expect(JSON.parse(out)).toEqual({
      version: "0.3",
      dryRun: true,
      files: [
        {
          file,
          edits: [
            { line: 2, from: "haft/ui", to: "haft/chat" },
            { line: 4, from: "outside", to: "httpEgress" },
          ],
          notes: [{ line: 5, message: 'Not changed: the string "haft/ui". The path is "haft/chat" now.' }],
        },
      ],
      failed: [],
    });
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("uses colors only on a terminal that shows them", async () => {
    const file = await written(before);
    const escapeSign = String.fromCharCode(27);
    expect((await haft(["migrate", "0.3", file, "--dry-run"], { hasColor: true })).out).toContain(
      `${escapeSign}[31m-import`,
    );
    expect((await haft(["migrate", "0.3", file, "--dry-run"])).out).not.toContain(escapeSign);
  });

  it("shows progress on a terminal when there are many files", async () => {
    const place = join(folder, randomUUID());
    await mkdir(place);
    for (let at = 0; at < 120; at++) await writeFile(join(place, `${at}.ts`), "");
    expect((await haft(["migrate", "0.3", place], { answers: [] })).error).toContain("119 of 120");
    expect((await haft(["migrate", "0.3", place, "--json"], { answers: [] })).error).toBe("");
    expect((await haft(["migrate", "0.3", place])).error).toBe("");
  });

  it("stops when it is cancelled", async () => {
    const file = await written(before);
    const { code } = await haft(["migrate", "0.3", file], { signal: AbortSignal.abort() });
    expect(code).toBe(130);
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it.each([
    [[], "haft migrate needs a version. Run: haft migrate 0.3"],
    [["0.4"], 'There is no migration to "0.4". Run: haft migrate 0.3'],
    [["0.3", "/no/such/place"], "/no/such/place does not exist."],
    [["0.3", "README.md"], "README.md is not a TypeScript, JavaScript or JSON file."],
  ])("refuses %j", async (words, message) => {
    const { code, error } = await haft(["migrate", ...words]);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("examples of 0.2.0", () => {
  const fixture = (name: string) => readFileSync(new URL(`./migrate/${name}.txt`, import.meta.url), "utf8");

  it.each(["16-credentials", "30-ai-sdk", "31-langchain", "38-chat"])(
    "%s is migrated completely",
    async (name) => {
      const { text, notes } = await migrate(fixture(`${name}.before`), "main.ts");
      expect(text).toBe(fixture(`${name}.after`));
      expect(notes).toEqual([]);
    },
  );
});
