import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../types/errors.ts";
import { readServer } from "./read-server.ts";

const refusal = (id: string, config: unknown): ConfigurationError => {
  try {
    readServer(id, config);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error("it was accepted");
};

describe("MCP server configuration", () => {
  test.each([
    [{ command: "node" }, { id: "files", command: "node" }],
    [
      { type: "stdio", command: "npx", args: ["x"], env: { KEY: { secret: "key" } } },
      { id: "files", transport: "stdio", command: "npx", args: ["x"], env: { KEY: { secret: "key" } } },
    ],
    [{ url: "https://a.example/mcp" }, { id: "files", url: "https://a.example/mcp" }],
    [
      { type: "streamable-http", url: "http://localhost:1/mcp", oauth: true },
      { id: "files", transport: "http", url: "http://localhost:1/mcp", oauth: true },
    ],
    [
      { type: "sse", url: "https://a.example" },
      { id: "files", transport: "sse", url: "https://a.example" },
    ],
    [
      { type: "ws", url: "wss://a.example" },
      { id: "files", transport: "websocket", url: "wss://a.example" },
    ],
    [
      { id: "files", command: "node" },
      { id: "files", command: "node" },
    ],
  ])("%j is read as %j and frozen", (given, read) => {
    const server = readServer("files", given);
    expect(server).toEqual(read);
    expect(Object.isFrozen(server)).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ["no value", undefined, "it must be an object"],
    ["a list", [], "it must be an object"],
    ["neither a command nor a URL", {}, 'it needs a "command"'],
    [
      "a misspelled field and no command",
      { cwdd: "/a" },
      'it has an unknown field "cwdd" (did you mean "cwd"?); it needs a "command"',
    ],
    ["a command and a URL", { command: "a", url: "https://a.example" }, 'it has both a "command"'],
    ["another id", { id: "mail", command: "a" }, "/id must be the key of this server"],
    ["an unknown type", { type: "pigeon", command: "a" }, "/type must be one of stdio"],
    ["a type named after a prototype member", { type: "toString", command: "a" }, "/type must be one of"],
    [
      "two transports",
      { type: "sse", transport: "http", url: "https://a.example" },
      "/type contradicts /transport",
    ],
    ["a transport that does not match", { type: "http", command: "a" }, "/transport must be"],
    ["a misspelled field", { command: "a", arguments: [] }, "/arguments is not a known property"],
    ["a number in a list", { command: "a", args: ["b", 7] }, "/args/1 must be string"],
    ["a NUL character", { command: "a", args: ["b\0"] }, "/args/0 holds a NUL"],
    [
      "an invalid variable name",
      { command: "a", env: { "A=B": "c" } },
      "/env/A=B is not the name of a variable",
    ],
    [
      "an invalid inherited variable name",
      { command: "a", inheritEnv: ["A B"] },
      "/inheritEnv/0 is not the name",
    ],
    ["an unknown risk", { command: "a", risk: "none" }, '/risk must be one of "low"'],
    ["terms with a bad risk", { command: "a", terms: { "get_*": { risk: 7 } } }, "/terms/get_*/risk must be"],
    [
      "terms with a key that is no pointer",
      { command: "a", terms: { "*": { key: "order" } } },
      "/terms/*/key",
    ],
    ["terms with a bad pattern", { command: "a", terms: { "a.b": {} } }, "/terms/a.b The pattern"],
    ["a pattern with a slash", { command: "a", include: ["files/*"] }, "/include/0 matches names"],
    ["an invalid timeout", { command: "a", callTimeoutMs: 0 }, "/callTimeoutMs must be"],
    ["a relative URL", { url: "/mcp" }, "/url must be an absolute URL"],
    ["a file: URL", { url: "file:///etc/passwd" }, "/url must begin with"],
    [
      "an https: URL for a WebSocket",
      { type: "ws", url: "https://a.example" },
      "/url must begin with wss: or ws:",
    ],
    ["a password in the URL", { url: "https://a:b@a.example" }, "/url contains a user name"],
    ["an unknown grant", { url: "https://a.example", oauth: { grant: "password" } }, "/oauth"],
    ["a class instance", { command: "a", env: new Date() }, "/env"],
  ])("with %s is rejected with the field", (_, config, message) => {
    const error = refusal("files", config);
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain(message);
    expect(error.failure.issues?.length).toBeGreaterThan(0);
  });

  test("reports every invalid field without its value", () => {
    const secret = "hunter2hunter2";
    const { message, failure } = refusal("files", {
      command: "a",
      args: secret,
      env: { TOKEN: [secret] },
      era: secret,
      cwd: { secret },
      token: secret,
    });
    for (const pointer of ["/args", "/env/TOKEN", "/era", "/cwd", "/token"])
      expect(message).toContain(pointer);
    expect(JSON.stringify([message, failure.issues])).not.toContain(secret);
  });

  test.each(["", "a/b", "-a", "_a", "a b", "fïles", "x".repeat(33), "then", "constructor", "a\n"])(
    "rejects the id %j",
    (id) => expect(refusal(id, { command: "a" }).message).toMatch(/^The server id .* is refused/),
  );

  test("is read or rejected with a ConfigurationError for any value", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (command, more) => {
        const given = typeof more === "object" && more !== null ? { ...more, command } : command;
        try {
          readServer("files", given);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
        }
      }),
    );
  });
});
