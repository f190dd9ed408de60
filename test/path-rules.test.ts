import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, type PolicyOptions, type Rule, tool } from "haft";
import { beforeEach, describe, expect, it } from "vitest";

let root = "";
let notes = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "haft-paths-"));
  notes = join(root, "notes");
  await mkdir(join(notes, "deep"), { recursive: true });
  await mkdir(join(root, "notes-old"));
  await writeFile(join(root, "secret.txt"), "secret");
  await symlink(root, join(notes, "up"));
  await symlink(join(root, "nowhere"), join(notes, "dangling"));
  await symlink(notes, join(root, "link-to-notes"));
});

const save = tool({
  name: "save",
  description: "Saves a file",
  input: {
    type: "object",
    properties: {
      path: { type: "string" },
      files: { type: "array", items: { type: "string" } },
      target: { type: "string" },
    },
    additionalProperties: false,
  } as const,
  run: () => "saved",
});

const codeOf = async (input: object, rule: Partial<Rule>, policy: Partial<PolicyOptions> = {}) => {
  await using haft = await Haft.open({
    tools: [save],
    principal: { agent: "clerk", allow: ["*"] },
    config: { security: { allowedFilePathPrefix: root } },
    policy: { rules: [{ effect: "allow", ...rule }], ...policy },
  });
  const [reply] = await haft.turn([{ id: "1", tool: "save", input }]);
  return reply?.ok === true ? "saved" : reply?.failure?.code;
};

describe("path: { within }", () => {
  const isAllowed = (path: string) => codeOf({ path }, { path: { within: notes } });

  it.each(["notes/a.txt", "notes/new/folder/b.txt", "notes", "./notes/deep/../a.txt", "link-to-notes/a.txt"])(
    "holds for %s, relative to the folder of the file tools",
    async (path) => {
      expect(await isAllowed(path)).toBe("saved");
    },
  );

  it.each([
    "secret.txt",
    "notes/../secret.txt",
    "notes-old/a.txt",
    "notes/up/secret.txt",
    "../x",
    "/etc/passwd",
    ".",
  ])("does not hold for %s", async (path) => {
    expect(await isAllowed(path)).toBe("denied");
  });

  it("holds for absolute paths inside", async () => {
    expect(await isAllowed(join(notes, "a.txt"))).toBe("saved");
  });

  it.each(["notes/dangling", "notes/a\0.txt", "file:///etc/passwd"])(
    "denies %j, which cannot be resolved",
    async (path) => {
      expect(await isAllowed(path)).toBe("denied");
    },
  );

  it("does not hold when the argument is missing", async () => {
    expect(await codeOf({}, { path: { within: notes } })).toBe("denied");
  });

  it("checks the named argument, and every path of a list", async () => {
    expect(await codeOf({ target: "notes/a" }, { path: { argument: "target", within: notes } })).toBe(
      "saved",
    );
    const files = { argument: "files", within: [notes, join(root, "notes-old")] };
    expect(await codeOf({ files: ["notes/a", "notes-old/b"] }, { path: files })).toBe("saved");
    expect(await codeOf({ files: ["notes/a", "secret.txt"] }, { path: files })).toBe("denied");
  });

  it("resolves relative paths from pathBase if it is set", async () => {
    expect(await codeOf({ path: "a.txt" }, { path: { within: notes } }, { pathBase: notes })).toBe("saved");
    expect(await codeOf({ path: "notes/a" }, { path: { within: "./notes" } }, { pathBase: root })).toBe(
      "saved",
    );
  });
});

describe("path: { outside }", () => {
  it("denies paths outside of the folder, and a call without a path", async () => {
    const rules: Rule[] = [{ effect: "allow" }, { effect: "deny", path: { outside: notes } }];
    expect(await codeOf({ path: "notes/a" }, {}, { rules })).toBe("saved");
    expect(await codeOf({ path: "notes/up/secret.txt" }, {}, { rules })).toBe("denied");
    expect(await codeOf({}, {}, { rules })).toBe("denied");
  });
});

describe("tellModel", () => {
  const open = (rules: readonly Rule[]) =>
    Haft.open({ tools: [save], principal: { agent: "clerk", allow: ["*"] }, policy: { rules } });
  const deny: Rule = {
    id: "only-notes",
    effect: "deny",
    path: { outside: "/nowhere" },
    reason: "audit finding 7",
    tellModel: "Save files in the folder notes.",
  };

  it("is shown to the model, while the rule and its reason are shown only to operators", async () => {
    await using haft = await open([{ effect: "allow" }, deny]);
    const [reply] = await haft.turn([{ id: "1", tool: "save", input: { path: "x" } }]);
    expect(reply?.text).toContain('call "save" with these arguments. Save files in the folder notes.');
    expect(reply?.text).not.toMatch(/only-notes|audit finding/);
    expect((await haft.log())[0]).toMatchObject({
      ruleIds: ["only-notes"],
      decision: expect.stringContaining("audit finding 7"),
    });
  });

  it("is collected from every rule that denies, once each", async () => {
    const more: Rule = { ...deny, id: "second", tellModel: "Ask ada." };
    await using haft = await open([{ effect: "allow" }, deny, more, { ...deny, id: "third" }]);
    const [reply] = await haft.turn([{ id: "1", tool: "save", input: { path: "x" } }]);
    expect(reply?.text).toContain("Save files in the folder notes. Ask ada.");
  });

  it("can come from a policy engine", async () => {
    await using haft = await Haft.open({
      tools: [save],
      principal: { agent: "clerk", allow: ["*"] },
      policy: {
        visible: () => ({ effect: "allow", ruleIds: [], reason: "" }),
        decide: async () => ({ effect: "deny", ruleIds: [], reason: "closed", tellModel: "Try after 9." }),
      },
    });
    await expect(haft.call("save", { path: "x" })).rejects.toThrow("Try after 9.");
  });
});

it("a deny rule covers every spelling of a path, and paths that a tool may resolve in another way", async () => {
  await mkdir(join(root, "secret"));
  await symlink(join(root, "secret"), join(notes, "link"));
  const rules = [{ effect: "allow" }, { effect: "deny", path: { within: "./secret" } }] as const;
  for (const path of [
    "secret/s.txt",
    "secret/",
    `//${root}/secret/s.txt`,
    "notes/link/s.txt",
    "notes/../secret/s.txt",
    "notes/link/../secret/s.txt",
    `/proc/self/root${root}/secret/s.txt`,
  ]) {
    expect([path, await codeOf({ path }, {}, { rules })]).toEqual([path, "denied"]);
  }
  const allow = { path: { within: "./notes" } };
  expect(await codeOf({ path: "notes/link/../secret/s.txt" }, allow)).toBe("denied");
});

describe("a list of paths", () => {
  const outsideToo = ["notes/a.txt", "elsewhere.txt"];
  const files = (path: object) => ({ path: { argument: "files", ...path } });
  const allowAll = { effect: "allow" } as const;

  it("must be inside completely for a rule that allows", async () => {
    expect(await codeOf({ files: outsideToo }, files({ within: "./notes" }))).toBe("denied");
    expect(await codeOf({ files: outsideToo }, files({ outside: "./notes" }))).toBe("denied");
    expect(await codeOf({ files: ["notes/a.txt"] }, files({ within: "./notes" }))).toBe("saved");
  });

  it("needs one path inside for a rule that denies", async () => {
    const deny = (path: object) => ({ rules: [allowAll, { effect: "deny", ...files(path) }] }) as const;
    expect(await codeOf({ files: outsideToo }, {}, deny({ within: "./notes" }))).toBe("denied");
    expect(await codeOf({ files: outsideToo }, {}, deny({ outside: "./notes" }))).toBe("denied");
    expect(await codeOf({ files: ["elsewhere.txt"] }, {}, deny({ within: "./notes" }))).toBe("saved");
  });
});
