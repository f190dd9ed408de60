import { describe, expect, it } from "vitest";
import { finishes } from "../../../test/kit/finishes.ts";
import { readable } from "./readable.ts";

const base = "https://a.example/folder/page";

describe("a page that is read", () => {
  it.each([
    ['<a href="other">x</a>', "x [https://a.example/folder/other]"],
    ['<a href="#part">x</a>', "x"],
    ['<a href="https://b.example/">https://b.example/</a>', "https://b.example/"],
    ["<ul><li>a<li>b</ul>", " * a\n * b"],
    ["a &lt;b&gt; &amp; c", "a <b> & c"],
    ["<p>a<!-- b --><noscript>c</noscript><svg><text>d</text></svg></p>", "a"],
  ])("%s", (html, text) => {
    expect(readable(html, base)).toBe(text);
  });

  it("with more tags than the parser is given is still read, without them", () => {
    const many = `<head><title>t</title></head>${"<p>hello <b>you</b></p>".repeat(10_000)}<script>"<p>steal</p>"</script>&lt;end&gt;`;
    const text = readable(many, base);
    expect(text).toMatch(/^hello you\nhello you\n/);
    expect(text).not.toContain("steal");
    expect(text.endsWith("<end>")).toBe(true);
  });

  it.each([
    ["folders in folders", "<div>".repeat(1_000_000)],
    ["tables in tables", "<table><tr><td>".repeat(300_000)],
    ["many ends", `<div>${"</b>".repeat(1_000_000)}`],
    ["just below the bound", "<p><li>".repeat(9_990)],
    ["open ends just below the bound", "<div>".repeat(9_990) + "</p>".repeat(9_990)],
    ["tags that never end", "<a href='".repeat(300_000)],
    ["open comments", "<!--".repeat(500_000)],
    ["scripts that never end", "<script>".repeat(300_000)],
    ["entities", "&amp;".repeat(300_000)],
    ["spaces", " ".repeat(1_000_000)],
    ["line breaks", `${"<br>".repeat(30_000)}${"\n ".repeat(500_000)}`],
  ])("takes bounded time, whatever it is made of: %s", (_, html) => {
    finishes(() => readable(html, base));
  });
});
