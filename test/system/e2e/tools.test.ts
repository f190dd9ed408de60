import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { sees, studioWorld } from "./kit/studio-world.ts";

const form = (page: Page): Locator => page.getByRole("region", { name: "Call this tool" });

describe("tools", () => {
  const world = studioWorld("sqlite");

  it("the list has every tool with its source, and a search ranks tools with explained scores", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools");
    await sees(page.getByText("13 tools"));
    await page.getByRole("textbox", { name: "Search" }).fill("give a customer money back");
    await sees(page.getByRole("status").filter({ hasText: /\d+ % confidence/ }));
    await waitFor(() =>
      expect(new URL(page.url()).searchParams.get("query")).toBe("give a customer money back"),
    );
    const first = page.getByRole("main").getByRole("listitem").first();
    await sees(first.getByRole("link", { name: "refund" }));
    await sees(first.getByText(/^0\.\d\d$/).first());
    await sees(first.getByText("meaning"));
  });

  it("a shadowed tool name is shown on both tools", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/shop%2Fsearch");
    const about = page.getByRole("region", { name: "About" });
    await sees(about.getByText("Shadows", { exact: true }));
    await page.goto(`${scene.origin}/tools/search`);
    await sees(about.getByText("Shadowed by"));
    await sees(about.getByText("shop/search"));
    await sees(page.getByText("Searches the catalog of last year"));
    await form(page)
      .getByRole("textbox", { name: /^words/ })
      .fill("lamp");
    await form(page).getByRole("button", { name: "Call", exact: true }).click();
    await sees(
      form(page)
        .getByRole("alert")
        .getByText(/Calls of "search" go to shop\/search/),
    );
  });

  it("a form calls the tool through the pipeline, as the signed-in user and as another caller", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/find_order");
    await form(page).getByRole("textbox", { name: /^id/ }).fill("77");
    await form(page).getByRole("button", { name: "Call", exact: true }).click();
    await sees(form(page).getByRole("status").getByText("done"));
    await sees(form(page).getByText("total: 12"));
    await form(page).getByRole("combobox", { name: "Caller" }).selectOption("guest");
    await form(page).getByRole("button", { name: "Call", exact: true }).click();
    await sees(form(page).getByRole("status").getByText("as guest"));
    await form(page).getByRole("link", { name: "View call" }).click();
    await sees(page.getByRole("region", { name: "About" }).getByText("guest"));
    await page.goto(`${scene.origin}/tools/check_stock`);
    await form(page)
      .getByRole("textbox", { name: /^thing/ })
      .fill("lamp");
    await form(page).getByRole("combobox", { name: "Caller" }).selectOption("guest");
    await sees(
      form(page).getByText(
        /guest may not call this tool: neither the allow list nor a toolkit of "guest" covers check_stock/,
      ),
    );
    await form(page).getByRole("button", { name: "Call", exact: true }).click();
    await sees(form(page).getByRole("status").getByText("not_visible"));
    await form(page).getByRole("link", { name: "View call" }).click();
    await sees(page.getByRole("button", { name: "failed authorize" }));
    await sees(page.getByText(/no permission for this tool/).first());
    await page.getByRole("link", { name: "Explain permission" }).click();
    await sees(
      page
        .getByRole("region", { name: "Explain" })
        .getByText(/"guest" may not call check_stock/)
        .first(),
    );
  });

  it("argument errors are shown next to the field, and a call that needs approval links to its request", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/refund");
    const amount = form(page).getByRole("textbox", { name: /^amount/ });
    await amount.fill("much");
    await waitFor(async () => expect(await amount.getAttribute("aria-invalid")).toBe("true"));
    const described = await amount.getAttribute("aria-describedby");
    await sees(page.locator(`[id="${described}"]`).getByText(/number/));
    await amount.fill("3");
    await form(page)
      .getByRole("textbox", { name: /^order/ })
      .fill("90");
    await form(page)
      .getByRole("checkbox", { name: /^notify/ })
      .check();
    await waitFor(async () => expect(await amount.getAttribute("aria-invalid")).toBe("false"));
    await form(page).getByRole("button", { name: "Call", exact: true }).click();
    await sees(form(page).getByRole("status").getByText("needs approval"));
    await form(page).getByRole("link", { name: "View request" }).click();
    await sees(page.getByRole("article", { name: "Approval request for refund" }));
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await waitFor(() => expect(scene.shop.refunds).toContainEqual({ order: "90", amount: 3 }));
  });

  it("refuses a required field that is blank, unless an empty text is chosen or allowed by the schema", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/tools/refund");
    const call = form(page).getByRole("button", { name: "Call", exact: true });
    const order = form(page).getByRole("textbox", { name: /^order/ });
    await form(page)
      .getByRole("textbox", { name: /^amount/ })
      .fill("3");
    await order.fill("  ");
    await call.click();
    expect(await order.getAttribute("aria-invalid")).toBe("true");
    const described = await order.getAttribute("aria-describedby");
    await sees(page.locator(`[id="${described}"]`).getByText("This field is required."));
    await sees(form(page).locator("input:focus"));
    expect(await form(page).locator("[aria-invalid=true]").count()).toBe(1);
    await form(page)
      .getByRole("button", { name: /^Send empty text.*order$/ })
      .click();
    await sees(form(page).getByText("Empty text", { exact: true }));
    await call.click();
    await sees(form(page).getByRole("status").getByText("needs approval"));
    expect(await scene.haft.log({ tool: "refund" })).toMatchObject([{ input: '{"amount":3,"order":""}' }]);

    await page.goto(`${scene.origin}/tools/send_mail`);
    await form(page).getByRole("textbox", { name: /^to/ }).fill("bob");
    await call.click();
    await sees(form(page).getByRole("status").getByText("done"));
    expect(await scene.haft.log({ tool: "send_mail" })).toMatchObject([{ input: '{"to":"bob","body":""}' }]);
  });

  it("arguments can be written as JSON, and invalid JSON is reported", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/find_order");
    await form(page).getByRole("tab", { name: "JSON" }).click();
    const json = form(page).getByRole("textbox", { name: "Arguments as JSON" });
    await json.fill('{"id":');
    await sees(form(page).getByText(/Invalid JSON/));
    await json.fill('{"id":"5"}');
    await form(page).getByRole("button", { name: "Call", exact: true }).click();
    await sees(form(page).getByRole("status").getByText("done"));
  });

  it("a call can be copied as code, as a command and as MCP parameters", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/find_order");
    await form(page).getByRole("textbox", { name: /^id/ }).fill("it's");
    const copied = async (name: string): Promise<string> => {
      await form(page).getByRole("button", { name }).click();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    await waitFor(async () =>
      expect(await copied("Copy as a haft call command")).toBe(`haft call find_order '{"id":"it'\\''s"}'`),
    );
    expect(await copied("Copy as code")).toContain('haft.call("find_order"');
    expect(JSON.parse(await copied("Copy as MCP parameters"))).toMatchObject({
      method: "tools/call",
      params: { name: "find_order", arguments: { id: "it's" } },
    });
  });

  it("each vendor format lists its losses, and charts have a table", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/refund");
    const vendors = page.getByRole("region", { name: "Vendor formats" });
    await vendors.getByText("ollama").click();
    await sees(vendors.getByText("3 losses"));
    await sees(vendors.getByText(/\/input\/properties\/amount.*drops it/));
    const statistics = page.getByRole("region", { name: "Statistics" });
    await sees(statistics.getByText("approval_denied"));
    await statistics.getByRole("button", { name: "Show as table" }).click();
    await sees(statistics.getByRole("columnheader", { name: "failed" }));
    await statistics.getByRole("link", { name: "View calls" }).click();
    await waitFor(() => expect(new URL(page.url()).search).toBe("?tool=refund"));
  });
});
