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

describe("child process of a stdio server", () => {
  it("fails a call at once when it is killed", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const closed = firstNotification(session, ({ kind }) => kind === "closed");
    const pending = rejectionOf(callTestTool(session, "hang"));
    process.kill(session.pid as number, "SIGKILL");
    expect(await pending).toMatchObject({ code: "mcp_unreachable", retryable: true, failure: { ran: true } });
    expect(await closed).toEqual({ kind: "closed", reason: "its process was ended by SIGKILL" });
    expect(isAlive(session.pid as number)).toBe(false);
  });

  it("is closed with its own child processes, even if they ignore SIGTERM", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const grandchild = Number(resultText(await callTestTool(session, "grandchild")));
    onTestEnd(() => isAlive(grandchild) && process.kill(grandchild, "SIGKILL"));
    expect(isAlive(grandchild)).toBe(true);
    await session.close();
    expect(isAlive(session.pid as number)).toBe(false);
    await waitFor(() => expect(!isAlive(grandchild)).toBeTruthy());
  });

  it("has its child processes ended after it was killed", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const grandchild = Number(resultText(await callTestTool(session, "grandchild")));
    onTestEnd(() => isAlive(grandchild) && process.kill(grandchild, "SIGKILL"));
    process.kill(session.pid as number, "SIGKILL");
    await waitFor(() => expect(!isAlive(grandchild)).toBeTruthy());
  });

  it("is killed when it ignores its shutdown", async () => {
    const session = await openTestSession(rawServerConfig("stubborn", legacy));
    await session.close();
    expect(isAlive(session.pid as number)).toBe(false);
  });

  it("is reported with the missing command and without its environment", async () => {
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

  it("is reported as unreachable when its folder does not exist", async () => {
    const failure = await rejectionOf(
      openTestSession(rawServerConfig("", { ...legacy, cwd: "/haft/no/such/folder" })),
    );
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
  });

  it("shows its last output only to the operator when it exits at its start", async () => {
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

  it("fails the call when it closes its output", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const failure = await rejectionOf(callTestTool(session, "close-output"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: true } });
    expect(failure.message).toContain("it closed its output");
  });

  it("is ended when it does not answer within the connect timeout", async () => {
    const server = { command: process.execPath, args: ["-e", "setInterval(()=>{},1e3)"] };
    const failure = await rejectionOf(openTestSession(server, { connectTimeoutMs: 400 }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false, timeoutMs: 400 } });
  });

  it("is ended when the connection is cancelled", async () => {
    const ender = new AbortController();
    const server = { command: process.execPath, args: ["-e", "setInterval(()=>{},1e3)"] };
    const pending = rejectionOf(openTestSession(server, { signal: ender.signal }));
    ender.abort();
    expect(await pending).toMatchObject({ code: "cancelled", failure: { ran: false } });
  });

  it("ends with its parent process, also after SIGINT or SIGTERM", async () => {
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

describe("environment of a child process", () => {
  it("contains only harmless, configured and named variables", async () => {
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

describe("invalid messages of a child process", () => {
  it("are reported and skipped when they are banners or broken lines", async () => {
    const session = await openTestSession(rawServerConfig("banner", legacy));
    const reported = await firstNotification(session, ({ kind }) => kind === "trouble");
    expect(reported).toMatchObject({ message: expect.stringContaining("Welcome to the raw server!") });
    expect(resultText(await callTestTool(session, "noise", { lines: 50 }))).toBe("after noise");
    expect(resultText(await callTestTool(session, "noise", { lines: 50 }))).toBe("after noise");
  });

  it.each([
    ["noise", { lines: 100 }, "lines to its standard output that are not MCP messages"],
    ["long", {}, "a message of more than 10485760 bytes"],
    ["deep", {}, "JSON nested"],
    ["proto", {}, "a key __proto__"],
  ])(
    "of kind %s close the connection, and fail every open call with mcp_garbage",
    async (name, input, reason) => {
      const session = await openTestSession(rawServerConfig("", legacy));
      const other = rejectionOf(callTestTool(session, "hang"));
      const failure = await rejectionOf(callTestTool(session, name, input));
      expect(failure).toMatchObject({ code: "mcp_garbage", retryable: false, failure: { ran: true } });
      expect(failure.message).toContain(reason);
      expect(await other).toMatchObject({ code: "mcp_garbage" });
      await session.close();
      expect(isAlive(session.pid as number)).toBe(false);
    },
  );

  it("with an unknown id are dropped, and the call times out", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const reported = firstNotification(session, ({ kind }) => kind === "trouble");
    const failure = await rejectionOf(callTestTool(session, "wrong-id", {}, { timeoutMs: 100 }));
    expect(failure).toMatchObject({ code: "timed_out" });
    expect(await reported).toMatchObject({
      message: expect.stringContaining("sent unexpected, late or duplicate responses"),
    });
  });

  it("that repeat an id are dropped", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(resultText(await callTestTool(session, "twice"))).toBe("first");
    expect(resultText(await callTestTool(session, "echo", { message: "on" }))).toBe("on");
  });

  it("are accepted when their id is the same number as a string", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(resultText(await callTestTool(session, "text-id"))).toBe("as text");
  });

  it("without a result fail the call", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(await rejectionOf(callTestTool(session, "nothing"))).toMatchObject({
      code: "mcp_protocol",
      failure: { ran: true },
    });
  });

  it("keep unknown properties of results", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    expect(await callTestTool(session, "unknown")).toMatchObject({
      strange: { kept: true },
      content: [{ type: "hologram", x: 1 }],
    });
  });

  it("that are errors have a short message and the complete cause", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const failure = await rejectionOf(callTestTool(session, "refusal"));
    expect(failure).toMatchObject({ code: "mcp_refused", name: "ToolExecutionError" });
    expect(failure.message.length).toBeLessThan(350);
    expect(failure.message).not.toContain("\u0000");
    expect(failure.failure.cause).toMatchObject({ code: -32_050, data: { hint: "later" } });
    expect(failure.failure.detail).toContain('data: {"hint":"later"}');
  });

  it("are dropped with one report above 2000 per second, without blocking the event loop", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const reported: unknown[] = [];
    let logged = 0;
    session.onNews((news) => {
      if (news.kind === "trouble") reported.push(news.message);
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
    expect(reported).toEqual([expect.stringContaining("more than 2000 unsolicited messages a second")]);
    expect(logged).toBeLessThan(25_000);
    expect(turns).toBeGreaterThan(5);
  });

  it("on standard error are read, and only the last lines are kept", async () => {
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
  it("are read completely and in order, and entries without a name are reported", async () => {
    const session = await openTestSession(rawServerConfig("", legacy));
    const { tools, refused, ttlMs } = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["task", "tool-1", "tool-2"]);
    expect(tools[1]).toMatchObject({ odd: true });
    expect(refused).toEqual([{ name: "(no name)", reason: "it has no name" }]);
    expect(ttlMs).toBe(5_000);
  });

  it("share one deadline", async () => {
    const session = await openTestSession(rawServerConfig("slow-pages", legacy), { callTimeoutMs: 150 });
    expect(await rejectionOf(session.listTools())).toMatchObject({ code: "timed_out" });
  });

  it("end at a repeated cursor", async () => {
    const session = await openTestSession(rawServerConfig("endless-pages", legacy));
    expect((await session.listTools()).tools).toHaveLength(6);
  });
});

it("the default call timeout applies to a server without its own", async () => {
  const session = await openTestSession(rawServerConfig("", legacy), {
    ...sessionServices,
    callTimeoutMs: 60,
  });
  expect(await rejectionOf(callTestTool(session, "hang"))).toMatchObject({ code: "timed_out" });
});
