import { mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { validateConversation } from "../../src/agent/validate-conversation.ts";
import { commands } from "../../src/cli/commands.ts";
import { sanitizeForTerminal } from "../../src/cli/screen.ts";
import { readAgent } from "../../src/tools/gram/agent-file.ts";
import { example, fixture, haft } from "./haft.ts";

const weather = fixture("weather.ts");
const hello = example("hello-world/hello.gram");
const scratch = () => mkdtemp(join(tmpdir(), "haft-cli-"));

describe("haft", () => {
  it("lists its commands, and fails without one", async () => {
    const [help, nothing] = await Promise.all([haft(["--help"]), haft([])]);
    expect(help.code).toBe(0);
    expect(help.out).toContain("haft run");
    expect(nothing.code).toBe(2);
  });

  it("explains each command with examples and exit codes", async () => {
    const { code, out } = await haft(["ab", "--help"]);
    expect(code).toBe(0);
    expect(out).toContain("--inputs FILE");
    expect(out).toContain("Examples");
    expect(out).toContain("130 cancelled");
  });

  it.each(commands.map(({ name }) => name))("describes haft %s with examples", async (name) => {
    const { code, out } = await haft([...name.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`\n  haft ${name}`);
    expect(out.slice(out.indexOf("Examples"))).toMatch(/\n {2}\S+.*\n {6}\S/);
  });

  it("prints its version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await haft(["--version"])).out).toBe(`${version}\n`);
  });

  it.each([
    [["tols"], "Did you mean haft tools?"],
    [["rnu"], "Did you mean haft run?"],
    [["run s"], "Did you mean haft runs?"],
    [["mpc", "list"], "Did you mean haft mcp list?"],
    [["garm"], "Did you mean haft gram?"],
    [["gram"], "This command is incomplete. Use one of: haft gram check, haft gram format."],
    [["gram", "chekc"], "Did you mean haft gram check?"],
    [["call", "x", "--jsno"], "Did you mean --json?"],
    [["call", "x", "--nope"], "--nope"],
    [["tools", "--format", "foo"], "--format must be one of openai"],
    [["run"], "requires the file of an agent"],
    [["run", "absent.gram"], "The agent file absent.gram does not exist"],
    [["call"], "requires a tool"],
    [["tools", "--tools", "absent.ts"], "The file of tools absent.ts does not exist"],
  ])("reports the mistake in %j and exits with 2", async (words, message) => {
    const { code, out, error } = await haft(words);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(message);
  });

  it.each(["bash", "zsh", "fish"])("prints a completion script for %s", async (shell) => {
    const { code, out } = await haft(["completion", shell]);
    expect(code).toBe(0);
    expect(out).toContain("max-turns");
  });
});

describe("haft call", () => {
  it("prints the value, reads arguments from a pipe, and runs class tools", async () => {
    const [one, piped, made] = await Promise.all([
      haft(["call", "get_weather", '{"city":"Oslo"}', "--tools", weather]),
      haft(["call", "get_weather", "-t", weather], { input: '{"city":"Rome"}' }),
      haft(["call", "get_time", "-t", weather]),
    ]);
    expect([one.code, one.out]).toEqual([0, '{"city":"Oslo","celsius":21}\n']);
    expect(piped.out).toContain("Rome");
    expect(made.out).toBe("noon\n");
  });

  it("reports a failure on standard error, and in full as JSON with --json", async () => {
    const [reported, json] = await Promise.all([
      haft(["call", "get_weather", '{"city":5}', "-t", weather]),
      haft(["call", "get_weather", '{"city":5}', "-t", weather, "--json"]),
    ]);
    expect([reported.code, reported.out]).toEqual([1, ""]);
    expect(reported.error).toContain("/city must be string");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, failure: { code: "invalid_input" } });
  });

  it("strips control characters from a tool's error, and the error cannot imitate output of haft", async () => {
    const { code, error } = await haft(["call", "shout", "-t", fixture("shouting.ts")]);
    expect(code).toBe(1);
    expect(error).toContain("FAKE");
    expect(error).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(error).not.toMatch(/^haft: approved/m);
  });

  it("asks for approval at the terminal", async () => {
    const [yes, no] = await Promise.all([
      haft(["call", "wipe_disk", "-t", weather], { answers: ["y"] }),
      haft(["call", "wipe_disk", "-t", weather], { answers: ["n"] }),
    ]);
    expect([yes.code, yes.out]).toEqual([0, "wiped\n"]);
    expect(yes.error).toContain("Allow it? [y/N]");
    expect(no.code).toBe(1);
  });

  it("refuses a call that requires approval without a terminal, and a tool that is not allowed", async () => {
    const [risky, hidden] = await Promise.all([
      haft(["call", "wipe_disk", "-t", weather]),
      haft(["call", "get_weather", '{"city":"Oslo"}', "-t", weather, "--allow", "get_time"]),
    ]);
    expect([risky.code, hidden.code]).toEqual([1, 1]);
    expect(risky.error).toContain("approv");
  });
});

describe("haft tools and haft explain", () => {
  it("list the allowed tools as a table, as JSON, or in the format of a vendor", async () => {
    const [plain, json, vendor] = await Promise.all([
      haft(["tools", "-t", weather]),
      haft(["tools", "-t", weather, "--json", "--allow", "get_*"]),
      haft(["tools", "-t", weather, "--format", "anthropic"]),
    ]);
    expect(plain.out).toMatch(/^get_weather +low/m);
    const lines = json.out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(["get_time", "get_weather"]);
    expect(JSON.parse(vendor.out)[1]).toHaveProperty("input_schema");
  });

  it("resolve a name to a tool", async () => {
    const [known, unknown] = await Promise.all([
      haft(["explain", "get_weather", "-t", weather, "--json"]),
      haft(["explain", "nothing", "-t", weather]),
    ]);
    expect(JSON.parse(known.out)).toMatchObject({ answers: "get_weather", spec: { risk: "low" } });
    expect(unknown.code).toBe(1);
  });
});

describe("haft run", () => {
  it("runs a gram file with the library next to it, offline without a key", async () => {
    const { code, out, error } = await haft(["run", hello, "Hello, I'm Ada", "--trace"]);
    expect(code).toBe(0);
    expect(out).toBe("(offline planner) sayHello answered: Hello, Ada! Nice to meet you.\n");
    expect(error).toContain("OPENAI_API_KEY is not set");
    expect(error).toContain("1 hydrate");
    expect(error).toContain("the principal's rights allow it");
  });

  it("prints the response as JSON and keeps the conversation in a file", async () => {
    const file = join(await scratch(), "talk.json");
    const first = await haft(["run", hello, "Hello, I'm Ada", "--json", "--conversation", file]);
    expect(JSON.parse(first.out)).toMatchObject({
      status: "done",
      toolsUsed: [{ name: "sayHello", result: expect.any(String) }],
    });
    const second = await haft(["run", hello, "Hello, I'm Bob", "--conversation", file]);
    expect(second.code).toBe(0);
    const kept = JSON.parse(await readFile(file, "utf8"));
    expect(validateConversation(kept)).toEqual([]);
    expect(kept.filter(({ role }: { role: string }) => role === "user")).toHaveLength(2);
  });

  it("runs an agent exported by a module, with input from a pipe", async () => {
    const { code, out } = await haft(["run", fixture("guide.ts"), "--model", "offline"], {
      input: "What is the weather in Oslo?",
    });
    expect(code).toBe(0);
    expect(out).toContain("21");
  });

  it("uses another library, and reports a tool without code", async () => {
    const folder = await scratch();
    const library = join(folder, "loud.mjs");
    await writeFile(library, "export const sayHello = ({ name }) => 'HELLO ' + name.toUpperCase();");
    const empty = join(folder, "empty.mjs");
    await writeFile(empty, "export const library = {};");
    const [loud, none] = await Promise.all([
      haft(["run", hello, "Hello, I'm Ada", "--library", library]),
      haft(["run", hello, "Hello, I'm Ada", "--library", empty]),
    ]);
    expect(loud.out).toContain("HELLO ADA");
    expect(none.code).toBe(1);
    expect(none.error).toContain('no code for "sayHello"');
  });

  it("reports a mistake in an agent file with its position", async () => {
    const file = join(await scratch(), "broken.gram");
    await writeFile(file, '[greeter:Agent {instruction: "Greet",} ]');
    const { code, error } = await haft(["run", file, "Hi"]);
    expect(code).toBe(2);
    expect(error).toContain("cannot be read");
    expect(error).toContain("^");
  });

  it("chats until an empty answer and keeps the conversation", async () => {
    const file = join(await scratch(), "talk.json");
    const { code, out, error } = await haft(["run", hello, "--conversation", file], {
      answers: ["Hello, I'm Ada", "Hello, I'm Bob", ""],
    });
    expect(code).toBe(0);
    expect(error).toContain("Talking with hello_world_agent");
    expect(out).toContain("Hello, Ada!");
    expect(out).toContain("Hello, Bob!");
    expect(JSON.parse(await readFile(file, "utf8"))).toHaveLength(8);
  });

  it("exits with 130 when it is interrupted", async () => {
    expect((await haft(["run", hello, "Hello, I'm Ada"], { signal: AbortSignal.abort() })).code).toBe(130);
  });

  it("strips sequences that move the cursor or hide text", () => {
    const esc = String.fromCharCode(27);
    expect(sanitizeForTerminal(`${esc}[31mred${esc}[39m ${esc}[8mhidden${esc}[2J${esc}]52;c;x\u0007\n`)).toBe(
      `${esc}[31mred${esc}[39m [8mhidden[2J]52;c;x\n`,
    );
  });

  it("never replaces an explicitly named model", async () => {
    const { code, error } = await haft(["run", hello, "Hi", "--model", "openai/gpt-5"]);
    expect(code).toBe(2);
    expect(error).toContain("OPENAI_API_KEY");
  });
});

describe("haft gram", () => {
  it("checks files, and prints diagnostics as JSON", async () => {
    const file = join(await scratch(), "broken.gram");
    await writeFile(file, "(a)->(b)");
    const [good, bad] = await Promise.all([
      haft(["gram", "check", hello]),
      haft(["gram", "check", file, "--json"]),
    ]);
    expect([good.code, bad.code]).toEqual([0, 1]);
    expect(JSON.parse(bad.out).diagnostics[0]).toMatchObject({ line: 1, message: expect.any(String) });
  });

  it("checks agents and tools, not only the grammar", async () => {
    const folder = await scratch();
    const check = async (text: string) => {
      const file = join(folder, "a.gram");
      await writeFile(file, text);
      return (await haft(["gram", "check", file])).code;
    };
    const agent = (tool: string) => `[a:Agent {instruction: "x"} | ${tool}]`;
    expect(await check(agent('[t:Tool {description: "d"} | (city::String)==>(::String)]'))).toBe(0);
    expect(await check(agent("known_elsewhere"))).toBe(0);
    expect(await check(agent('[t:Tool {description: "d"} | (city::Strng)==>(::String)]'))).toBe(1);
    expect(await check('[t:Tool {description: "d"} | (days::Integer {default: "two"})==>(::String)]')).toBe(
      1,
    );
  });

  const block = `toolSpecification: sayHello
  name: "sayHello"
  description: "Returns a friendly greeting message for the given name"
  typeSignature: "(name: Text) --> IO Text"
`;
  const agent = `[greeter:Agent {instruction: "You greet people."} | sayHello]`;
  const library = "export const sayHello = ({ name }) => 'Hello, ' + name;";

  it.each([
    ["an indented block", `${block}${agent}\n`, undefined],
    ["JSON", '{"name": "greeter", "instructions": "You greet people.", "tools": []}', undefined],
    [
      "a misspelled agent",
      `${block}[greeter:Agnet {instruction: "You greet."} | sayHello]`,
      "Did you mean :Agent?",
    ],
    [
      "a misspelled agent next to a valid one",
      `${agent}\n[b:Agnt {instruction: "b"}]`,
      "Did you mean :Agent?",
    ],
    [
      "a tool with a wrong label",
      `${agent}\n[sayHello:ToolSpecification {description: "d", typeSignature: "(name: Text) --> IO Text"}]`,
      "Did you mean :Tool?",
    ],
    [
      "a misspelled tool in an agent",
      '[a:Agent {instruction: "a"} | [b:Tol {description: "d"}]]',
      "Did you mean :Tool?",
    ],
    ["a duplicate key", '[a:Agent {instruction: "a", instruction: "b"}]', "is given twice"],
    ["a null", '[a:Agent {instruction: "a"}]\n(b {k: null})', "Gram has no null"],
    ["an unclosed bracket", "[a:Agent {", "Expected"],
    ["invalid JSON", '{"name": "greeter",}', "Only strict JSON is allowed"],
  ])("reports the same about %s from check, format and run", async (_, text, wrong) => {
    const file = join(await scratch(), "a.gram");
    const code = file.replace(".gram", ".mjs");
    await Promise.all([writeFile(file, text), writeFile(code, library)]);
    const [check, format, run] = await Promise.all([
      haft(["gram", "check", file]),
      haft(["gram", "format", file]),
      haft(["run", file, "Hello, I'm Ada", "--model", "offline", "--ledger", "memory"]),
    ]);
    expect([check.code, format.code, run.code]).toEqual(wrong === undefined ? [0, 0, 0] : [1, 1, 2]);
    for (const { error } of [check, format, run]) expect(error).toContain(wrong ?? "");
  });

  it("formats an indented block as equivalent gram", async () => {
    const file = join(await scratch(), "a.gram");
    await writeFile(file, `// Who greets.\n${block}\n${agent}\n`);
    expect((await haft(["gram", "format", "--write", file])).code).toBe(0);
    const written = await readFile(file, "utf8");
    expect(written).toContain("// Who greets.\n[sayHello:Tool {");
    expect(readAgent(written)).toEqual(readAgent(`${block}${agent}`));
  });

  it("ignores other labels that resemble Agent or Tool", async () => {
    const file = join(await scratch(), "a.gram");
    await writeFile(file, `[cars:Pool | (a:Agency)-->(b:Took)]\n${agent}\n`);
    expect(await haft(["gram", "check", file])).toMatchObject({ code: 0 });
  });

  it("does not print a file that it cannot read", async () => {
    const file = join(await scratch(), "a.gram");
    await writeFile(file, "(a)->(b)");
    expect(await haft(["gram", "format", file])).toMatchObject({ code: 1, out: "" });
    expect(await haft(["gram", "format", "--write", file])).toMatchObject({ code: 1 });
    expect(await readFile(file, "utf8")).toBe("(a)->(b)");
  });

  it("does not write through a link into another folder", async () => {
    const [folder, other] = [await scratch(), join(await scratch(), "mine.gram")];
    const text = "(  a:Person {name:'Ada'})-->( b )\n";
    await writeFile(other, text);
    await symlink(other, join(folder, "a.gram"));
    const { code, error } = await haft(["gram", "format", "--write", join(folder, "a.gram")]);
    expect([code, error]).toEqual([
      1,
      expect.stringContaining("is a symbolic link to a file in another folder"),
    ]);
    expect(await readFile(other, "utf8")).toBe(text);
  });

  it("formats files idempotently", async () => {
    const file = join(await scratch(), "a.gram");
    await writeFile(file, "// who\n(  a:Person {name:'Ada'})-->( b )\n");
    expect((await haft(["gram", "format", "--check", file])).code).toBe(1);
    expect((await haft(["gram", "format", "--write", file])).out).toBe("1 of 1 changed\n");
    expect((await haft(["gram", "format", "--check", file])).code).toBe(0);
    expect(await readFile(file, "utf8")).toContain("// who");
  });
});
