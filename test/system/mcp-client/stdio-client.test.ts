import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import {
  callTestTool,
  firstNotification,
  isAlive,
  onTestEnd,
  openTestSession,
  rawServerConfig,
  rejectionOf,
  resultText,
  sessionServices,
  toyServerConfig,
} from "../../kit/mcp/mcp-session-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";

const legacy = { era: "legacy" } as const;

describe("the life of a child", () => {
  it("a child that is killed in mid-call fails the call at once", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const closed = firstNotification(session, ({ kind }) => kind === "closed");
    const pending = rejectionOf(callTestTool(session, "hang"));
    process.kill(session.pid as number, "SIGKILL");
    expect(await pending).toMatchObject({ code: "mcp_unreachable", retryable: true, failure: { ran: true } });
    expect(await closed).toEqual({ kind: "closed", reason: "its process was ended by SIGKILL" });
    expect(isAlive(session.pid as number)).toBe(false);
  });

  it("what a child started ends with it, even if it ignores being asked", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const grandchild = Number(resultText(await callTestTool(session, "grandchild")));
    onTestEnd(() => isAlive(grandchild) && process.kill(grandchild, "SIGKILL"));
    expect(isAlive(grandchild)).toBe(true);
    await session.close();
    expect(isAlive(session.pid as number)).toBe(false);
    await waitFor(() => expect(!isAlive(grandchild)).toBeTruthy());
  });

  it("what a killed child left behind is ended too", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const grandchild = Number(resultText(await callTestTool(session, "grandchild")));
    onTestEnd(() => isAlive(grandchild) && process.kill(grandchild, "SIGKILL"));
    process.kill(session.pid as number, "SIGKILL");
    await waitFor(() => expect(!isAlive(grandchild)).toBeTruthy());
  });

  it("a child that does not want to end is ended", async () => {
    const session = await openTestSession(rawServerConfig("stubborn", legacy));
    await session.close();
    expect(isAlive(session.pid as number)).toBe(false);
  });

  it("a command that does not exist is named as the reason, without its environment", async () => {
    const failure = await rejectionOf(
      openTestSession(
        { command: "/nowhere/haft-no-such-command", env: { TOKEN: { secret: "t" } } },
        { id: "files" },
      ),
    );
    expect(failure).toMatchObject({
      code: "mcp_unreachable",
      message:
        'The MCP server "files" cannot be reached: its command cannot be started (ENOENT); "/nowhere/haft-no-such-command" is not installed, or not in PATH.',
      failure: { ran: false },
    });
  });

  it("a folder that does not exist is a failure and no crash", async () => {
    const failure = await rejectionOf(
      openTestSession(rawServerConfig("", { ...legacy, cwd: "/haft/no/such/folder" })),
    );
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
  });

  it("a child that ends at its start tells its last words to the operator only", async () => {
    const server = {
      command: process.execPath,
      args: ["-e", "console.error('no key in ' + process.env.SECRET); process.exit(4)"],
      env: { SECRET: { secret: "key" } },
    };
    const failure = await rejectionOf(openTestSession(server));
    expect(failure.message).toBe(
      'The MCP server "toy" cannot be reached: its process ended with code 4. Run its command in a terminal to see why.',
    );
    expect(failure.failure.detail).toContain("no key in [secret]");
    expect(JSON.stringify(failure.failure)).not.toContain("revealed-key");
  });

  it("a child that closes its output is not waited for", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const failure = await rejectionOf(callTestTool(session, "close-output"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: true } });
    expect(failure.message).toContain("it closed its output");
  });

  it("a child that never answers fails within the time for connecting, and is ended", async () => {
    const server = { command: process.execPath, args: ["-e", "setInterval(()=>{},1e3)"] };
    const failure = await rejectionOf(openTestSession(server, { connectTimeoutMs: 400 }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false, timeoutMs: 400 } });
  });

  it("connecting is given up when nobody wants it any more", async () => {
    const ender = new AbortController();
    const server = { command: process.execPath, args: ["-e", "setInterval(()=>{},1e3)"] };
    const pending = rejectionOf(openTestSession(server, { signal: ender.signal }));
    ender.abort();
    expect(await pending).toMatchObject({ code: "cancelled", failure: { ran: false } });
  });

  it("children end with a process that ends itself, or is interrupted", async () => {
    const script = fileURLToPath(new URL("../kit/mcp/leaving-parent.ts", import.meta.url));
    for (const way of ["exit", "SIGINT", "SIGTERM"]) {
      let said = "";
      try {
        said = execFileSync(process.execPath, [script, way], { encoding: "utf8" });
      } catch (error) {
        said = String((error as { readonly stdout?: unknown }).stdout);
      }
      const pid = Number(said.trim());
      expect(pid).toBeGreaterThan(0);
      onTestEnd(() => isAlive(pid) && process.kill(pid, "SIGKILL"));
      await waitFor(() => expect(!isAlive(pid)).toBeTruthy());
    }
  });
});

describe("the environment of a child", () => {
  it("holds a few harmless variables, what is configured and what is named, and nothing else", async () => {
    vi.stubEnv("HAFT_TEST_TOKEN", "leaked");
    vi.stubEnv("HAFT_TEST_NAMED", "named");
    vi.stubEnv("HAFT_TEST_SHELL", "() { echo hacked; }");
    onTestEnd(() => vi.unstubAllEnvs());
    const session = await openTestSession(
      toyServerConfig("legacy", {
        ...legacy,
        env: { OWN: "own", KEY: { secret: "key" } },
        inheritEnv: ["HAFT_TEST_NAMED", "HAFT_TEST_SHELL"],
      }),
    );
    const environment = JSON.parse(resultText(await callTestTool(session, "environment")));
    expect(environment).toMatchObject({ OWN: "own", KEY: "revealed-key", HAFT_TEST_NAMED: "named" });
    expect(environment.PATH).toBe(process.env.PATH);
    expect(environment).not.toHaveProperty("HAFT_TEST_TOKEN");
    expect(environment).not.toHaveProperty("HAFT_TEST_SHELL");
    const harmless =
      /^(HOME|LANG|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|XDG_\w+|OWN|KEY|HAFT_TEST_NAMED|__\w+)$/;
    expect(Object.keys(environment).filter((name) => !harmless.test(name))).toEqual([]);
  });
});

describe("a child that speaks badly", () => {
  it("banners and broken lines are told and passed over", async () => {
    const session = await openTestSession(rawServerConfig("banner", legacy));
    const told = await firstNotification(session, ({ kind }) => kind === "trouble");
    expect(told).toMatchObject({ message: expect.stringContaining("Welcome to the raw server!") });
    expect(resultText(await callTestTool(session, "noise", { lines: 50 }))).toBe("after noise");
    expect(resultText(await callTestTool(session, "noise", { lines: 50 }))).toBe("after noise");
  });

  it.each([
    ["noise", { lines: 100 }, "lines to its standard output that are no messages"],
    ["long", {}, "a message of more than 10485760 bytes"],
    ["deep", {}, "JSON nested"],
    ["proto", {}, "a key __proto__"],
  ])("%s ends the connection, and every call in flight as garbage", async (name, input, reason) => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const other = rejectionOf(callTestTool(session, "hang"));
    const failure = await rejectionOf(callTestTool(session, name, input));
    expect(failure).toMatchObject({ code: "mcp_garbage", retryable: false, failure: { ran: true } });
    expect(failure.message).toContain(reason);
    expect(await other).toMatchObject({ code: "mcp_garbage" });
    await session.close();
    expect(isAlive(session.pid as number)).toBe(false);
  });

  it("an answer to another id is dropped, and the call ends with its deadline", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const told = firstNotification(session, ({ kind }) => kind === "trouble");
    const failure = await rejectionOf(callTestTool(session, "wrong-id", {}, { timeoutMs: 100 }));
    expect(failure).toMatchObject({ code: "timed_out" });
    expect(await told).toMatchObject({ message: expect.stringContaining("answered what nobody asked") });
  });

  it("a second answer to the same id is dropped", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(resultText(await callTestTool(session, "twice"))).toBe("first");
    expect(resultText(await callTestTool(session, "echo", { message: "on" }))).toBe("on");
  });

  it("an id that comes back as text is the same id", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(resultText(await callTestTool(session, "text-id"))).toBe("as text");
  });

  it("an answer without a result does not hang", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(await rejectionOf(callTestTool(session, "nothing"))).toMatchObject({
      code: "mcp_protocol",
      failure: { ran: true },
    });
  });

  it("results keep what no schema knows", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(await callTestTool(session, "unknown")).toMatchObject({
      strange: { kept: true },
      content: [{ type: "hologram", x: 1 }],
    });
  });

  it("a refusal is short and clean in the message, and whole in the cause", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const failure = await rejectionOf(callTestTool(session, "refusal"));
    expect(failure).toMatchObject({ code: "mcp_refused", name: "ToolExecutionError" });
    expect(failure.message.length).toBeLessThan(350);
    expect(failure.message).not.toContain("\u0000");
    expect(failure.failure.cause).toMatchObject({ code: -32_050, data: { hint: "later" } });
    expect(failure.failure.detail).toContain('data: {"hint":"later"}');
  });

  it("a flood is cut off, told once, and others get their turn", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const told: unknown[] = [];
    let logged = 0;
    session.onNews((news) => {
      if (news.kind === "trouble") told.push(news.message);
      if (news.kind === "logged") logged++;
    });
    let turns = 0;
    let isOver = false;
    const countTurn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(countTurn);
    };
    countTurn();
    expect(resultText(await callTestTool(session, "flood", { count: 30_000 }))).toBe("after flood");
    isOver = true;
    expect(told).toEqual([expect.stringContaining("more than 2000 messages a second")]);
    expect(logged).toBeLessThan(25_000);
    expect(turns).toBeGreaterThan(5);
  });

  it("floods of its standard error are heard, and little of them kept", async () => {
    const lines: string[] = [];
    const session = await openTestSession(
      rawServerConfig("", { ...legacy, env: { SECRET: { secret: "key" } } }),
      {
        onStderr: (line) => lines.push(line),
      },
    );
    const failure = await rejectionOf(callTestTool(session, "stderr", { die: true }));
    expect(failure.failure.detail?.length).toBeLessThanOrEqual(4_000);
    expect(failure.failure.detail).toContain("line 99 [secret]");
    expect(failure.failure.detail).not.toContain("line 10 ");
    expect(lines.at(-1)).toBe("line 99 [secret]");
  });
});

describe("pages of tools", () => {
  it("all are read, in order, whole, and what is no tool is told beside them", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const { tools, refused, ttlMs } = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["task", "tool-1", "tool-2"]);
    expect(tools[1]).toMatchObject({ odd: true });
    expect(refused).toEqual([{ name: "(no name)", reason: "it has no name" }]);
    expect(ttlMs).toBe(5_000);
  });

  it("that each come just in time are over with the deadline of all", async () => {
    const session = await openTestSession(rawServerConfig("slow-pages", legacy), { callTimeoutMs: 150 });
    expect(await rejectionOf(session.listTools())).toMatchObject({ code: "timed_out" });
  });

  it("a cursor that comes again ends the list", async () => {
    const session = await openTestSession(rawServerConfig("endless-pages", legacy));
    expect((await session.listTools()).tools).toHaveLength(6);
  });
});

it("the deadline of the house holds where a server has none of its own", async () => {
  const session = await openTestSession(rawServerConfig("", legacy), {
    ...sessionServices,
    callTimeoutMs: 60,
  });
  expect(await rejectionOf(callTestTool(session, "hang"))).toMatchObject({ code: "timed_out" });
});
