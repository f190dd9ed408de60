import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { sees, studioWorld } from "./kit/studio-world.ts";

const region = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });

describe("servers, permissions and experiments", () => {
  const world = studioWorld("sqlite");

  it("a server shows its state, quarantined tools with reasons and its log, and reconnects", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/servers");
    const server = region(page, "weather");
    await sees(server.getByText("degraded"));
    await sees(server.getByText("2 tools are quarantined"));
    await sees(server.getByText(/weather\/forecast: changed since it was reviewed: \/description/));
    const log = page.getByRole("list", { name: "Log of weather" });
    await sees(log.getByText("connected with 2 tools"));
    await server.getByRole("button", { name: "Reconnect" }).click();
    await sees(page.getByText("weather is degraded."));
    await sees(log.getByText("ada reconnected the server: degraded, 2 tools are quarantined"));
  });

  it("a changed tool is reviewed as a diff, its risks are accepted by name, and the lock is written", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/tools/weather%2Fadvise");
    await sees(page.getByRole("alert").getByText(/Quarantined, cannot be called: not reviewed/));
    await sees(page.getByRole("link", { name: "Servers 2 quarantined" }));
    await page.getByRole("link", { name: "Review", exact: true }).click();
    const approve = page.getByRole("button", { name: "Approve and update the lock" });
    const forecast = region(page, "forecast");
    await sees(forecast.getByText("Says how the weather will be, and where you are."));
    expect(await approve.isDisabled()).toBe(true);
    await forecast.getByRole("button", { name: "Side by side" }).first().click();
    await sees(forecast.getByRole("button", { name: "Line by line" }));
    await page.getByRole("button", { name: "Select all" }).click();
    await sees(page.getByText(/review and accept the flags of advise/));
    expect(await approve.isDisabled()).toBe(true);
    await sees(
      region(page, "advise").getByText("The text instructs the model to ignore its earlier instructions."),
    );
    await region(page, "advise").getByRole("checkbox", { name: "Select advise" }).uncheck();
    await sees(page.getByText("1 of 2 selected"));
    await approve.click();
    await sees(page.getByText(/Approved forecast of weather\. The lock .*haft\.lock was updated\./));
    await waitFor(async () => expect(await region(page, "forecast").count()).toBe(0));
    await sees(region(page, "advise"));
    const lock = await page.goto(`${scene.origin}/api/v1/servers`).then((answer) => answer!.json());
    const written = JSON.parse(readFileSync(lock.lock, "utf8"));
    expect(Object.keys(written.servers.weather.tools)).toEqual(["alerts", "forecast"]);
    expect(JSON.stringify(written.servers.weather.tools.forecast)).toContain("where you are");
  });

  it("a new tool is written to the lock once its risks are accepted, and the server is connected again", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/servers/weather/review");
    await page.getByRole("button", { name: "Select all" }).click();
    await region(page, "advise")
      .getByRole("checkbox", { name: /I have reviewed these flags/ })
      .check();
    await page.getByRole("button", { name: "Approve and update the lock" }).click();
    await sees(page.getByText("No changes"));
    await page.getByRole("link", { name: "Servers", exact: true }).last().click();
    await region(page, "weather").getByRole("button", { name: "Reconnect" }).click();
    await sees(region(page, "weather").getByText("connected", { exact: true }));
  });

  it("the matrix shows the permissions of every caller, and explains one by its rules", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/permissions");
    await sees(page.getByRole("link", { name: "guest: allowed (find_order)" }));
    await sees(page.getByRole("link", { name: /^clerk.*: needs approval \(refund\)$/ }));
    await page.getByRole("link", { name: "guest: denied (pay_supplier)" }).click();
    const explained = region(page, "Explain");
    await sees(explained.getByText(/guests-pay-nobody/));
    await sees(
      explained
        .getByRole("listitem")
        .filter({ hasText: /guests-pay-nobody/ })
        .getByText("decides", { exact: true }),
    );
    await explained.getByRole("combobox", { name: "Tool" }).selectOption("find_order");
    await sees(explained.getByRole("status").getByText("allow", { exact: true }));
    await page.getByRole("textbox", { name: "Tool name" }).fill("weather");
    await waitFor(async () => expect(await page.getByRole("link", { name: /\(refund\)/ }).count()).toBe(0));
    expect(new URL(page.url()).searchParams.get("filter")).toBe("weather");
  });

  it("a permission that depends on arguments or untrusted content says so, and is explained for given ones", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/permissions");
    await sees(
      page.getByRole("link", { name: /^clerk.*: allowed, depends on untrusted content \(send_mail\)$/ }),
    );
    await page
      .getByRole("link", { name: /^clerk.*: allowed, depends on arguments \(pay_supplier\)$/ })
      .click();
    const explained = region(page, "Explain");
    const rule = explained.getByRole("listitem").filter({ hasText: "rule no-large-payments" });
    await sees(rule.getByText("decides if its conditions are met: input.amount ≥ 1000"));
    const input = explained.getByRole("textbox", { name: /^Arguments/ });
    await input.fill('{"supplier":"acme","amount":');
    await sees(explained.getByRole("alert").getByText(/Invalid JSON/));
    await input.fill('{"supplier":"acme","amount":5000}');
    await sees(rule.getByText("decides", { exact: true }));
    await sees(explained.getByText("overruled by rule no-large-payments"));
    expect(new URL(page.url()).searchParams.get("input")).toBe('{"supplier":"acme","amount":5000}');
    await explained.getByRole("combobox", { name: "Tool" }).selectOption("send_mail");
    await input.fill("");
    await sees(explained.getByText(/"clerk" may call send_mail \(depends on untrusted content\)/));
    await explained.getByRole("checkbox", { name: /untrusted content/ }).check();
    await sees(explained.getByText(/"clerk" needs approval to call send_mail/));
    expect(new URL(page.url()).searchParams.get("tainted")).toBe("true");
  });

  it("the allow list of a caller is listed before rules that would allow the call", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/permissions?as=guest&tool=price_of");
    const items = region(page, "Explain").getByRole("listitem");
    await sees(items.first().getByText(/neither the allow list nor a toolkit of "guest" covers price_of/));
    await sees(items.filter({ hasText: "rule everybody" }).getByText(/^overruled/));
  });

  it("a URL with the agent of a caller explains and selects that caller", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/permissions?as=guest&tool=refund");
    const explained = region(page, "Explain");
    await sees(explained.getByText(/"guest" may not call refund/));
    const who = explained.getByRole("combobox", { name: "Caller" });
    await waitFor(async () => expect(await who.locator("option:checked").textContent()).toBe("guest"));
  });

  it("an experiment shows its verdict and each difference with its interval", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/experiments");
    await sees(page.getByText(/new list is faster by 38 %/));
    const compared = region(page, "new list against old list");
    await sees(compared.getByRole("img", { name: "-13 %, from -27 % to 2 %" }));
    await sees(page.getByText("21 of 24 succeeded (88 %)"));
  });
});

describe("the fleet page", () => {
  const world = studioWorld("postgres");

  it("shows workers, the queue and a run that needs approval", async () => {
    const scene = await world.filled({ hasFleet: true });
    const page = await world.visit(scene, "/fleet");
    await sees(region(page, "Workers").getByText(/0 of \d+ runs/));
    await sees(region(page, "Workers").getByText("desk"));
    const { runId } = await scene.haft.submit(scene.desk, "Refund order 81");
    await sees(region(page, "Runs that need approval").getByRole("link", { name: runId }));
    await region(page, "Runs that need approval").getByRole("link", { name: runId }).click();
    await page.getByRole("link", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await waitFor(() => expect(scene.shop.refunds).toContainEqual({ order: "81", amount: 12.5 }));
    await page.goto(`${scene.origin}/runs/${encodeURIComponent(runId)}`);
    await sees(page.getByRole("main").getByText("done", { exact: true }));
  });

  it("is missing from the navigation when the ledger has no fleet", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/");
    await sees(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Runs" }));
    expect(await page.getByRole("link", { name: "Fleet" }).count()).toBe(0);
  });
});
