import { describe, expect, it } from "vitest";
import { expectToFinish } from "../../../../test/kit/expect-to-finish.ts";
import { htmlToText } from "./html-to-text.ts";

const base = "https://a.example/folder/page";

describe("htmlToText", () => {
  it.each([
    ['<a href="other">x</a>', "x [https://a.example/folder/other]"],
    ['<a href="#part">x</a>', "x"],
    ['<a href="https://b.example/">https://b.example/</a>', "https://b.example/"],
    ["<ul><li>a<li>b</ul>", " * a\n * b"],
    ["a &lt;b&gt; &amp; c", "a <b> & c"],
    ["<p>a<!-- b --><noscript>c</noscript><svg><text>d</text></svg></p>", "a"],
  ])("converts %s", (html, text) => {
    expect(htmlToText(html, base)).toBe(text);
  });

  it.each([
    [
      "<h1>T</h1><p>one</p><p>two<br>three<br><br>four</p><div>a</div><div>b</div>",
      "T\n\none\n\ntwo\nthree\n\nfour\n\na\nb",
    ],
    ["<ol><li>a</li><li>b<ul><li>c</li></ul></li><li>d</ol>e", " 1. a\n 2. b\n     * c\n 3. d\n\ne"],
    ["<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc"],
    ["<pre>a\n  b\n\n c</pre>d", "a\n  b\n\n c\n\nd"],
    ["<table><tr><td><p>a</p></td><td>b</td></tr><tr><td>c<td>d</table>e", "a | b |\nc | d |\n\ne"],
    ["<p>  a  <b> b </b>  c</p>", "a b c"],
    ["&eacute; &#x41; &unknown; &lt", "é A &unknown; <"],
    [
      "<a href='mailto:x@y.example'>mail</a> <a href='/p'><img></a> <a href='javascript:1'>j</a>",
      "mail [x@y.example] https://a.example/p j",
    ],
    ["<head><title>t</title></head>a <!-- b > c --> d < 3 <3 </ p></>e<!x>f<?y?>g", "a d < 3 <3 efg"],
    ["<SCRIPT>'</p>'</Script >a<style>b</style><iframe>c</iframe>", "a"],
    ["<svg><svg></svg>a</svg>b<template>c</template>d", "bd"],
    ["<a title='>' HREF=x>y</a", "y [https://a.example/folder/x]"],
    ["a<b title='", "a"],
    ["</ul></li></p></a></td>a", "a"],
  ])("converts blocks and invalid markup: %s", (html, text) => {
    expect(htmlToText(html, base)).toBe(text);
  });

  it.each([
    ["blocks in blocks", "<div>".repeat(200_000)],
    ["lists in lists", "<ul><li>a".repeat(100_000)],
    ["quotes in quotes", "<blockquote>a<br>".repeat(100_000)],
    ["item end tags without items", `<ul>${"<blockquote>".repeat(50_000)}${"</li>".repeat(50_000)}`],
    ["tables in tables", "<table><tr><td>".repeat(100_000)],
    ["many end tags", `<div>${"</b>".repeat(200_000)}`],
    ["unclosed tags", "<a href='".repeat(100_000)],
    ["a huge attribute", `<a ${"x".repeat(1_000_000)}="${"y".repeat(1_000_000)}" href=z>a</a>`],
    ["many attributes", `<a ${"x=y ".repeat(300_000)}>a</a>`],
    ["slashes and equal signs", `<a ${"/=".repeat(300_000)}>a</a>`],
    ["links in links", "<a href=x>".repeat(10_000)],
    ["open comments", "<!--".repeat(200_000)],
    ["unclosed scripts", "<script>".repeat(100_000)],
    ["unclosed declarations", "<!".repeat(200_000)],
    ["angle brackets", "<".repeat(1_000_000)],
    ["entities", "&amp;".repeat(200_000)],
    ["ampersands", "&".repeat(1_000_000)],
    ["spaces", " ".repeat(1_000_000)],
    ["line breaks", `${"<br>".repeat(100_000)}${"\n ".repeat(300_000)}`],
  ])("takes linear time and space for %s", (_, html) => {
    expect(expectToFinish(() => htmlToText(html, base)).length).toBeLessThan(10 * html.length);
  });
});
