import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathTemplate } from "./plan-request.ts";

// Includes lone surrogates, which cannot be encoded.
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

const expand = (url: string, input: Record<string, unknown>) => {
  const expanded = pathTemplate(url).expand(input);
  return expanded instanceof URL ? expanded.href : expanded;
};

describe("pathTemplate", () => {
  it.each([
    ["https://a.example/users/{id}", { id: "7" }, "https://a.example/users/7"],
    [
      "https://a.example/users/{id}/posts/{post}",
      { id: 7, post: true },
      "https://a.example/users/7/posts/true",
    ],
    ["https://a.example/v{version}/x", { version: 2 }, "https://a.example/v2/x"],
    ["https://a.example/{id}?key=1", { id: "a b?c#d&e" }, "https://a.example/a%20b%3Fc%23d%26e?key=1"],
    ["https://a.example/{id}", { id: "%2e%2e%2f" }, "https://a.example/%252e%252e%252f"],
    ["https://a.example/{id}", { id: "..." }, "https://a.example/..."],
    ["https://a.example/x{id}", { id: ".." }, "https://a.example/x.."],
    ["https://a.example", {}, "https://a.example/"],
    ["https://a.example/group%2F{name}", { name: "x" }, "https://a.example/group%2Fx"],
    ["https://a.example:8443/{snow}", { snow: "☃" }, "https://a.example:8443/%E2%98%83"],
  ])("expands %s with %j", (url, input, expected) => {
    expect(expand(url, input)).toBe(expected);
  });

  it.each([
    ["..", "https://a.example/users/{id}/private"],
    [".", "https://a.example/users/{id}"],
    ["a/b", "https://a.example/users/{id}"],
    ["a\\b", "https://a.example/users/{id}"],
    ["../admin", "https://a.example/users/{id}"],
    ["", "https://a.example/users/{id}"],
    ["\ud800", "https://a.example/users/{id}"],
    [".", "https://a.example/.{id}"],
    [null, "https://a.example/{id}"],
    [undefined, "https://a.example/{id}"],
    [["a"], "https://a.example/{id}"],
    [{ a: 1 }, "https://a.example/{id}"],
  ])("rejects the value %j in %s", (id, url) => {
    expect(expand(url, { id })).toMatchObject({ code: "failed", retryable: false, failure: { ran: false } });
  });

  it("reports a value that is only inherited as missing", () => {
    expect(expand("https://a.example/{constructor}", {})).toMatchObject({
      failure: { issues: [{ pointer: "/constructor" }] },
    });
  });

  it.each([
    "https://{host}/path",
    "https://a.example:{port}/",
    "{url}",
    "https://a.example/?q={q}",
    "https://a.example/x#{part}",
    "https://a.example/x#part",
    "https://user:password@a.example/",
    "ftp://a.example/",
    "file:///etc/hosts",
    "/relative/{id}",
    "https:///path",
    "https://a.example/{}",
    "https://a.example/{id",
    "https://a.example/id}",
    "https://a.example/%{id}",
    "https://a.example/%2{id}",
    "https://a.example/../{id}",
    "https://a.example/%2E%2e/{id}",
    "https://a b/",
    "",
  ])("rejects the URL %j at definition", (url) => {
    expect(() => pathTemplate(url)).toThrowError(expect.objectContaining({ code: "invalid_definition" }));
  });

  it("keeps the request on its host and below its path for any value", () => {
    const { expand: fill } = pathTemplate("https://a.example/base/{id}/{id}x?fixed=1");
    fc.assert(
      fc.property(fc.string({ unit: codeUnit }), (id) => {
        const url = fill({ id });
        if (!(url instanceof URL)) return;
        expect(url.origin).toBe("https://a.example");
        expect(url.search).toBe("?fixed=1");
        const [, base, first = "", second = "", ...more] = url.pathname.split("/");
        expect(base).toBe("base");
        expect(more).toEqual([]);
        expect(decodeURIComponent(first)).toBe(id);
        expect(decodeURIComponent(second)).toBe(`${id}x`);
      }),
    );
  });
});

it.each(["https://api.example/.\t./{a}", "https://api.example/v1/..\\up/{a}", "https://api\n.example/{a}"])(
  "pathTemplate rejects a URL whose segments change when parsed: %j",
  (url) => expect(() => pathTemplate(url)).toThrow("backslash or a control character"),
);

it("no value changes the authority", () => {
  const { expand } = pathTemplate("https://api.example/v1/{a}{b}");
  for (const a of ["@evil.example", ":80", "//evil.example", "..", "\t", "%2e", "a?b#c"]) {
    const url = expand({ a, b: "." });
    if (url instanceof URL)
      expect([url.origin, url.pathname.split("/").length]).toEqual(["https://api.example", 3]);
  }
});
