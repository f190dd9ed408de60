import { Haft, type ToolApprovalError, tool } from "haft";
import { describe, expect, it } from "vitest";
import { quarantinedPageOutcome, quarantinedToolOutcome } from "../../src/mcp/client/to-tool/call-remote.ts";
import { toToolResult } from "../../src/server/gateway/call/call-result.ts";
import type { LiveCall } from "../../src/server/gateway/call/live-call.ts";
import { waitFor } from "../kit/wait-for.ts";

const refund = tool({ name: "refund", description: "Refunds", input: [], risk: "high", run: () => "paid" });
const principal = { agent: "clerk", allow: ["*"] };

/** Ids of approvals and commands of operators, which a model with a shell could use. */
const expectNothingToApproveWith = (text: string, id?: string): void => {
  if (id !== undefined) expect(text).not.toContain(id);
  expect(text).not.toMatch(/\bhaft (approve|deny|approvals|lock|trust|resume|settle)\b/);
};

describe("text for models", () => {
  it("names no approval id and no command when a call is pending", async () => {
    await using haft = await Haft.open({ tools: [refund], principal, approver: () => undefined });
    const [reply] = await haft.turn([{ id: "1", tool: "refund", input: "{}" }]);
    const id = reply!.pending!.id;
    expectNothingToApproveWith(reply!.text, id);
    const result = toToolResult(reply!, {} as LiveCall, (text) => text);
    expectNothingToApproveWith(JSON.stringify(result.content), id);
    // The client's own code still gets the id.
    expect(result._meta?.["haft/approval"]).toMatchObject({ id });
  });

  it("names no approval id when a pending call is resumed too early", async () => {
    await using haft = await Haft.open({ tools: [refund], principal, approver: () => undefined });
    const [reply] = await haft.turn([{ id: "1", tool: "refund", input: "{}" }]);
    const { id } = reply!.pending!;
    const error: Error = await haft.resume(id).then(
      () => expect.fail("it was made"),
      (thrown) => thrown,
    );
    expectNothingToApproveWith(error.message, id);
  });

  it("names no approval id in the error of haft.call, which a tool may pass on", async () => {
    await using haft = await Haft.open({ tools: [refund], principal, approver: () => undefined });
    const error: ToolApprovalError = await haft.call("refund", {}).then(
      () => expect.fail("it was made"),
      (thrown) => thrown,
    );
    expect(error.approval?.id).toEqual(expect.any(String));
    expectNothingToApproveWith(error.message, error.approval?.id);
  });

  it("names no command when a tool or a page is quarantined", () => {
    for (const outcome of [
      quarantinedToolOutcome({ reason: "haft lock", isApprovable: true }, "refund"),
      quarantinedToolOutcome({ reason: "haft lock", isApprovable: false }, "refund"),
      quarantinedPageOutcome("haft lock", "refund"),
    ]) {
      expect(outcome._tag).toBe("failure");
      if (outcome._tag === "failure") expectNothingToApproveWith(outcome.failure.message);
    }
  });

  it("names no command and no command line when a server was refused", async () => {
    const servers = { evil: { command: "haft-test-server", args: ["--evil"] } };
    const refuse = () => "not accepted: haft trust add 0123 accepts haft-test-server";
    await using haft = await Haft.open({ principal, mcp: { servers, refuse, lock: false, waitMs: 0 } });
    await waitFor(() => expect(haft.mcp.list()).toMatchObject([{ id: "evil", status: "error" }]));
    expect(haft.mcp.list()[0]!.reason).toContain("haft trust add");
    const [reply] = await haft.turn([{ id: "1", tool: "evil/read", input: "{}" }]);
    expect(reply!.failure).toMatchObject({ code: "definition_changed", detail: refuse() });
    expectNothingToApproveWith(reply!.text);
    expect(reply!.text).not.toContain("haft-test-server");
  });
});
