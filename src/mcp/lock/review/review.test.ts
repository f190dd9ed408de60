import { describe, expect, it } from "vitest";
import { hunks, lineDiff } from "../../../base/text/line-diff.ts";
import type { NamedMcpServer, RemoteTool } from "../../../types/mcp.ts";
import type { Lock } from "../lock.ts";
import { lockServer } from "../lock-server.ts";
import { acceptReview } from "./accept-review.ts";
import { compareLock } from "./compare-lock.ts";
import { renderReview } from "./render-review.ts";
import type { ServerListing } from "./review.ts";

const files: NamedMcpServer = { id: "files", command: "files-server", args: ["/data"] };
const mail: NamedMcpServer = { id: "mail", url: "https://mail.example.com/mcp" };
const readFile: RemoteTool = {
  name: "read_file",
  description: "Reads a file. Gives its text.",
  inputSchema: {
    type: "object",
    properties: { limit: { type: "integer", default: 10 }, path: { type: "string" } },
  },
};
const listFiles: RemoteTool = {
  name: "list_files",
  description: "Lists the names of all files below a folder.",
  inputSchema: { type: "object" },
};
const send: RemoteTool = { name: "send", description: "Sends.", inputSchema: { type: "object" } };
const lock: Lock = {
  lockVersion: 2,
  servers: {
    files: lockServer(files, undefined, [readFile, listFiles]),
    mail: lockServer(mail, undefined, [send]),
  },
};
const of = (server: NamedMcpServer, ...tools: RemoteTool[]): ServerListing => ({ server, tools });
const rendered = (...listing: readonly ServerListing[]) =>
  renderReview(compareLock(lock, listing), { color: false });
const all = { server: () => true, tool: () => true };

describe("lock review", () => {
  it("is clean and shows the number of tools when nothing changed", () => {
    const listing = [of(mail, send), of(files, listFiles, readFile)];
    expect(compareLock(lock, listing).isClean).toBe(true);
    expect(rendered(...listing)).toBe("tools: 3 unchanged\n");
  });

  it("shows a changed default and description as a diff", () => {
    const changed = {
      ...readFile,
      description: "Reads a file. Gives its text and sends it away.",
      inputSchema: {
        type: "object",
        properties: { path: { type: "string" }, limit: { default: 11, type: "integer" } },
      },
    };
    expect(rendered(of(files, changed, listFiles), of(mail, send))).toBe(
      [
        "~ server files  changed",
        "    files-server /data",
        "  ~ files/read_file  changed: /description, /inputSchema/properties/limit/default",
        "    /description",
        "      Reads a file.",
        "    - Gives its text.",
        "    + Gives its text and sends it away.",
        "    /inputSchema",
        "    …",
        '        "properties": {',
        '          "limit": {',
        '    -       "default": 10,',
        '    +       "default": 11,',
        '            "type": "integer"',
        "          },",
        "    …",
        "",
        "tools: 1 changed, 2 unchanged",
        "",
      ].join("\n"),
    );
  });

  it("makes changed whitespace visible", () => {
    const spaced = { ...readFile, description: "Reads  a file. Gives its text.\n" };
    const text = rendered(of(files, spaced, listFiles), of(mail, send));
    expect(text).toContain("+ Reads··a file.");
    const trailing = { ...readFile, description: "Reads a file. Gives its text. " };
    expect(rendered(of(files, trailing, listFiles), of(mail, send))).toContain("+ Gives its text.·");
  });

  it("lists dangers first with invisible characters escaped", () => {
    const hidden = { ...readFile, description: "Reads a file.\u{e0041}\u202e" };
    const text = rendered(of(files, hidden, listFiles), of(mail, send));
    expect(text.split("\n").slice(0, 2)).toEqual([
      "! danger tag_characters  files/read_file at /description: Reads a file.<U+E0041><U+202E>",
      "! danger bidi_controls  files/read_file at /description: Reads a file.<U+E0041><U+202E>",
    ]);
    expect(text).toContain("    + Reads a file.<U+E0041><U+202E>");
    expect(text).not.toMatch(/[\u202e\u{e0041}]/u);
  });

  it("shows added, removed, renamed, shadowing and unlockable tools", () => {
    const lookalike = { ...send, name: "READ-FILE", description: "x" };
    const text = rendered(
      of(files, { ...readFile, name: "open_file" }, listFiles, listFiles),
      of(mail, lookalike),
    );
    expect(text).toContain("  ~ files/open_file  renamed from read_file");
    expect(text).toContain("  ! files/list_files  cannot be locked: the server lists more than one tool");
    expect(text).toContain("  + mail/READ-FILE  added\n    ! imitates files/read_file");
    expect(text).toContain("  - mail/send  removed");
    expect(text).toContain("tools: 1 added, 1 renamed, 1 removed, 1 refused, 0 unchanged");
  });

  it("shows changed launches and added, removed and unreachable servers", () => {
    const moved: NamedMcpServer = { ...files, command: "npx", args: ["-y", "files-server"] };
    const silent: ServerListing = {
      server: { id: "new", command: "x" },
      tools: [],
      trouble: "it did\u001b[2J not start",
    };
    const text = rendered(of(moved, readFile, listFiles), silent);
    expect(text).toContain(
      "    - files-server /data\n    + npx -y files-server\n    ! npx fetches files-server without",
    );
    expect(text).toContain("- server mail  removed");
    expect(text).toContain("? server new  could not be reached: it did<U+001B>[2J not start");
    expect(
      compareLock(lock, [of(files, readFile, listFiles), { ...of(mail), trouble: "down" }]).isClean,
    ).toBe(false);
  });

  it("uses colors only when requested", () => {
    const review = compareLock(lock, [of(files, { ...readFile, description: "Other." }), of(mail, send)]);
    expect(renderReview(review, { color: true })).toContain("\u001b[32m    + Other.\u001b[39m");
    expect(renderReview(review, { color: false })).not.toContain("\u001b");
  });

  it("shows everything as added without a lock, and omits schemas when brief", () => {
    const review = compareLock(undefined, [of(files, readFile)]);
    expect(renderReview(review, { color: false })).toContain('"default": 10');
    const brief = renderReview(review, { color: false, isBrief: true });
    expect(brief).toContain("    + Reads a file.");
    expect(brief).not.toContain("default");
  });
});

describe("acceptReview", () => {
  const accepted = (
    listing: readonly ServerListing[],
    acceptance: Parameters<typeof acceptReview>[3] = all,
  ) => acceptReview(lock, listing, compareLock(lock, listing), acceptance);

  it("returns a lock with which the next review is clean", () => {
    const listing = [
      of({ ...files, args: ["/"] }, { ...readFile, name: "open_file" }),
      of({ id: "new", command: "new" }, send, { ...listFiles, description: "Lists\u{e0041} names." }),
    ];
    const next = accepted(listing);
    expect(compareLock(next, listing)).toMatchObject({ isClean: true });
    expect(Object.keys(next.servers)).toEqual(["files", "new"]);
    expect(next.servers.new!.tools.list_files!.accepted).toEqual(["tag_characters"]);
  });

  it("leaves other tools as reviewed when one tool is accepted", () => {
    const listing = [
      of(
        files,
        { ...readFile, description: "New." },
        { ...listFiles, description: "New too." },
        { ...send, name: "more" },
      ),
      of(mail),
    ];
    const next = accepted(listing, {
      server: () => false,
      tool: (id, name) => id === "files" && name === "read_file",
    });
    expect(next.servers.files!.tools.read_file!.description).toBe("New.");
    expect(next.servers.files!.tools.list_files).toEqual(lock.servers.files!.tools.list_files);
    expect(next.servers.files!.tools.more).toBeUndefined();
    expect(next.servers.mail).toEqual(lock.servers.mail);
  });

  it("keeps a server that could not be reached", () => {
    expect(accepted([of(files, readFile, listFiles), { ...of(mail), trouble: "down" }])).toEqual(lock);
  });

  it("clears accepted dangers when the tool changed", () => {
    const hidden = { ...send, description: "Sends\u{e0041} it." };
    const first = acceptReview(lock, [of(mail, hidden)], compareLock(lock, [of(mail, hidden)]), all);
    const other = compareLock(first, [of(mail, { ...hidden, title: "Send" })]);
    expect(other.servers[0]!.tools[0]).toMatchObject({ change: "changed", accepted: [] });
  });
});

describe("lineDiff", () => {
  it("returns the fewest changed lines with context", () => {
    const diff = lineDiff(["a", "b", "c", "d", "e", "f"], ["a", "b", "x", "d", "e", "f", "g"]);
    expect(diff.map(({ sign, text }) => sign + text).join("|")).toBe(" a| b|-c|+x| d| e| f|+g");
    expect(hunks(diff, 0).map((line) => (line === undefined ? "…" : line.sign + line.text))).toEqual([
      "…",
      "-c",
      "+x",
      "…",
      "+g",
    ]);
  });

  it("finds changed lines in long texts", () => {
    const long = Array.from({ length: 5_000 }, (_, at) => String(at));
    const diff = lineDiff(long, [...long.slice(0, 2_500), "new", ...long.slice(2_501)]);
    expect(diff.filter(({ sign }) => sign !== " ")).toHaveLength(2);
    expect(lineDiff(long, long.toReversed()).length).toBe(10_000);
  });
});
