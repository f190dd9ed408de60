import { expect, it } from "vitest";
import { campaign } from "./campaign.ts";
import { canLook } from "./processes.ts";
import { summary } from "./summary.ts";

/** Repetitions of each misbehavior. */
const rounds = process.env.HAFT_SOAK ? 200 : 1;
it.runIf(canLook)(
  "every misbehaving server fails with a typed error within the deadline, leaves no process, and does not affect other servers",
  {
    timeout: 600_000 + rounds * 30_000,
  },
  async () => {
    const findings = await campaign(rounds, 20_261_117);
    console.log(summary(findings));
    expect(findings.modes.flatMap(({ broken }) => broken)).toEqual([]);
    expect(findings.left).toEqual([]);
    expect(findings.neighbor.failed).toBe(0);
    expect(findings.neighbor.calls).toBeGreaterThanOrEqual(rounds);
  },
);
