import { describe, it, vi } from "vitest";
import { atEnd, newsOf, open } from "../../../test/kit/mcp/scene.ts";
import { toyHttp } from "../../../test/kit/mcp/toy-http.ts";

describe("news", () => {
  it("a change is told over HTTP to who listens", async () => {
    const toy = await toyHttp();
    atEnd(toy.stop);
    const session = await open({ url: toy.url });
    const changed = newsOf(session, ({ kind }) => kind === "tools-changed");
    await vi.waitUntil(() =>
      toy.seen.some(({ headers }) => headers["mcp-method"] === "subscriptions/listen"),
    );
    const poke = setInterval(() => toy.handler?.notify.toolsChanged(), 20);
    atEnd(() => clearInterval(poke));
    await changed;
  });
});
