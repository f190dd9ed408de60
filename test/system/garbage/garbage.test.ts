import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { campaign } from "./campaign.ts";
import { canLook } from "./processes.ts";
import { summary } from "./summary.ts";

/** How often each way to misbehave is tried. */
const rounds = process.env.HAFT_SOAK ? 200 : 1;
it.runIf(canLook)(
  "a server that misbehaves in whatever way is told as a typed failure within the deadline, leaves no process, and hurts no other server",
  {
    timeout: 600_000 + rounds * 30_000,
  },
  async () => {
    const findings = await campaign(rounds, 20_261_117);
    const page = summary(findings);
    console.log(page);
    if (process.env.HAFT_SOAK_WRITE === "1")
      writeFileSync(new URL("../../../docs/soak-mcp.md", import.meta.url), page);
    expect(findings.modes.flatMap(({ broken }) => broken)).toEqual([]);
    expect(findings.left).toEqual([]);
    expect(findings.neighbor.failed).toBe(0);
    expect(findings.neighbor.calls).toBeGreaterThanOrEqual(rounds);
  },
);
