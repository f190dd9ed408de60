import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { isGone, type Store, sees, studioWorld } from "./kit/studio-world.ts";

const notice = (page: Page) => page.getByText("Connection lost. Reconnecting…");

describe.each<Store>(["sqlite", "postgres"])("open browsers over %s", (store) => {
  const world = studioWorld(store);

  it("a new run updates calls, runs, overview and approval counts in all browsers", async () => {
    const scene = await world.filled();
    const calls = await world.visit(scene, "/calls", { name: "ada" });
    const runs = await world.visit(scene, "/runs", { name: "grace" });
    const figures = await world.visit(scene, "/", { name: "linus" });
    await sees(calls.getByText("28 calls"));
    await sees(runs.getByRole("table", { name: "Runs" }));
    await scene.haft.run(scene.desk, "Please refund order 91");
    await sees(calls.getByText("30 calls"));
    await sees(calls.getByRole("row", { name: /refund needs approval .*91/ }));
    await waitFor(async () => expect(await runs.getByRole("row", { name: /desk pending/ }).count()).toBe(2));
    await sees(figures.getByRole("navigation").getByRole("link", { name: /Approvals 4/ }));
    await waitFor(async () =>
      expect(
        await figures
          .locator("dl > div")
          .filter({ hasText: "Needs approval" })
          .getByRole("link")
          .textContent(),
      ).toBe("4"),
    );
  });

  it("a lost server connection is shown, and the page continues without a reload when it is back", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls");
    await sees(page.getByText("28 calls"));
    await page.evaluate("window.isTheSame = true");
    await scene.stop();
    await sees(notice(page));
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await sees(page.getByRole("alert").getByText(/The server does not respond/));
    await scene.start();
    await isGone(notice(page));
    await sees(page.getByRole("table", { name: "Runs" }));
    await page.getByRole("link", { name: "Calls", exact: true }).click();
    await scene.haft.call("find_order", { id: "new" });
    await sees(page.getByText("29 calls"));
    expect(await page.evaluate("window.isTheSame")).toBe(true);
  });

  it("a server with new sessions asks for another sign-in link", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/calls");
    await sees(page.getByText("No calls yet"));
    await scene.stop();
    await sees(notice(page));
    await scene.startAnew();
    await sees(page.getByRole("heading", { name: "Sign in to Haft Studio" }));
    await page.goto(scene.link("ada"));
    await sees(page.getByRole("heading", { level: 1, name: "Overview" }));
  });
});

describe("signing in", () => {
  const world = studioWorld("sqlite");

  it("a sign-in link opens one session, and its second use is refused", async () => {
    const scene = await world.empty();
    const link = scene.link("ada");
    const [first, second] = [await world.stranger(), await world.stranger()];
    await first.goto(link);
    await sees(first.getByRole("heading", { level: 1, name: "Overview" }));
    expect(first.url()).not.toContain("token");
    await second.goto(link);
    await sees(second.getByRole("alert").getByText(/This link was already used/));
    await sees(second.getByRole("heading", { name: "Sign in to Haft Studio" }));
  });

  it("a read-only user sees everything, and the missing scope for each action", async () => {
    const scene = await world.filled({ roles: ["studio:read"] });
    const page = await world.stranger();
    await page.goto(`${scene.origin}/approvals`);
    await sees(page.getByText("You need the scope studio:approve to answer this request."));
    expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.keyboard.press("a");
    await page.goto(`${scene.origin}/tools/find_order`);
    await sees(page.getByText("You need the scope studio:run to call tools."));
    expect(await page.getByRole("button", { name: "Call", exact: true }).isDisabled()).toBe(true);
    await page.goto(`${scene.origin}/runs/${scene.runs.tainted}`);
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await sees(page.getByText(/This needs the scope studio:/));
    expect((await scene.haft.approvals()).filter(({ status }) => status === "waiting")).toHaveLength(2);
  });

  it("a deep link asks for sign-in, and opens after it", async () => {
    const scene = await world.filled();
    const page = await world.stranger();
    await page.goto(`${scene.origin}/runs`);
    await sees(page.getByRole("heading", { name: "Sign in to Haft Studio" }));
    const other = await page.context().newPage();
    await other.goto(scene.link("ada"));
    await sees(other.getByRole("heading", { level: 1, name: "Overview" }));
    await page.getByRole("button", { name: "I have signed in" }).click();
    await sees(page.getByRole("heading", { level: 1, name: "Runs" }));
  });

  it("signing out ends the session in all tabs", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls");
    const tab = await page.context().newPage();
    await tab.goto(`${scene.origin}/tools`);
    await sees(tab.getByText("13 tools"));
    await page.getByRole("button", { name: "Sign out" }).click();
    await sees(page.getByRole("heading", { name: "Sign in to Haft Studio" }));
    // The event stream ends with the session, so the tab reconnects and is refused.
    await sees(tab.getByRole("heading", { name: "Sign in to Haft Studio" }));
  });

  it("the palette finds a tool by name, and the color scheme is kept after a reload", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene);
    await page.keyboard.press("Control+k");
    await sees(page.getByRole("dialog", { name: "Go to" }));
    await page.keyboard.type("refund");
    await sees(page.getByRole("option", { name: "Tool refund" }));
    await page.keyboard.press("Enter");
    await sees(page.getByRole("heading", { level: 1, name: "refund" }));
    await page.getByRole("radio", { name: "Dark" }).click();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.reload();
    await sees(page.getByRole("radio", { name: "Dark", checked: true }));
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
});
