import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { commandsPage } from "../../scripts/reference/commands-page.ts";
import { exportsOf, membersOf } from "../../scripts/reference/declarations.ts";
import { entryPages } from "../../scripts/reference/entry-pages.ts";
import { anchors } from "../../scripts/reference/page.ts";

let folder: string | undefined;

afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

const declared = (files: Readonly<Record<string, string>>): string => {
  folder = mkdtempSync(join(tmpdir(), "haft-reference-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
};

const files = {
  "index.d.ts": `export { type Options, open as start } from "./module/open.ts";\nexport type { Passed } from "./module/open.ts";\n`,
  "module/open.d.ts": `import type { X } from "../x.ts";
export type { Passed } from "./passed.ts";
/** How it is opened. */
export interface Options {
    /** Where. Unless set: here. */
    readonly place?: string;
    readonly limits: {
        /** The most. */
        readonly most: number;
    };
}
/**
 * Opens it,
 * once.
 */
export declare const open: (options?: Options) => import("../x.ts").X;
`,
  "module/passed.d.ts": "export type Passed = 1 | 2;\n",
};

it("an export is found at its declaration, under the name that the entry point gives it", () => {
  expect(exportsOf(declared(files), "index.d.ts")).toEqual([
    expect.objectContaining({ name: "Options", kind: "interface", about: "How it is opened." }),
    { name: "Passed", kind: "type", about: "", signature: "type Passed = 1 | 2;", file: "module/passed.ts" },
    {
      name: "start",
      kind: "function",
      about: "Opens it, once.",
      signature: "const open: (options?: Options) => X;",
      file: "module/open.ts",
    },
  ]);
});

it("an export without a doc comment is named, with its file", () => {
  const { undescribed } = entryPages(declared(files), { ".": "index.d.ts" });
  expect(undescribed).toEqual(["src/module/passed.ts Passed"]);
});

it("an entry point without a description fails the script", () => {
  expect(() => entryPages(declared(files), { "./new": "index.d.ts" })).toThrow("does not describe ./new");
});

it("members of an interface have their type, their comment, and whether they are optional", () => {
  const [options] = exportsOf(declared(files), "index.d.ts");
  const [place, limits] = membersOf(options!.signature);
  expect(place).toEqual({
    name: "place",
    type: "string",
    isOptional: true,
    about: "Where. Unless set: here.",
  });
  expect(membersOf(limits!.type.replace(/^ {2}/gm, ""))).toEqual([
    { name: "most", type: "number", isOptional: false, about: "The most." },
  ]);
});

it("two headings with the same text have different anchors", () => {
  expect(anchors(["Tool", "tool", "`serve.http`: all of it"])).toEqual([
    "tool",
    "tool-1",
    "servehttp-all-of-it",
  ]);
});

it("the page of commands matches the command line", async () => {
  const page = new URL("../../docs/reference/commands.md", import.meta.url);
  expect(readFileSync(page, "utf8")).toBe((await commandsPage()).text);
});

it("a type that is derived from a schema is shown with the fields of the schema", () => {
  const text = `import { type Schema, type ValueOf } from "./b.ts";
export declare const stateSchema: import("./b.ts").EnumSchema<readonly ["open", "done"]>;
/** How it ended. */
export type State = ValueOf<typeof stateSchema>;
export declare const callSchema: import("./b.ts").ObjectSchema<{
    id: Schema<string>;
    /** Who made it. */
    caller: import("./b.ts").OptionalField<Schema<import("./c.ts").Caller>>;
    states: import("./b.ts").ArraySchema<import("./b.ts").EnumSchema<readonly ["open", "done"]>>;
    rows: import("./b.ts").ArraySchema<import("./b.ts").ObjectSchema<{
        hash: Schema<string>;
    }>>;
}>;
/** A call. */
export interface Call extends ValueOf<typeof callSchema> {
    readonly own: number;
}
`;
  const [call, state] = exportsOf(declared({ "index.d.ts": text }), "index.d.ts").filter(
    ({ kind }) => kind !== "value",
  );
  expect(state!.signature).toBe('type State = "open" | "done";');
  expect(call!.signature).toBe(`interface Call {
  readonly id: string;
  /** Who made it. */
  readonly caller?: Caller;
  readonly states: readonly ("open" | "done")[];
  readonly rows: readonly {
    readonly hash: string;
  }[];
  readonly own: number;
}`);
});
