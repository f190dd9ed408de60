import type { StageState, Stages } from "@api/calls.ts";
import {
  Check,
  CircleDashed,
  CircleHelp,
  Clock,
  type IconComponent,
  Loader,
  X,
} from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";

export type StageName = keyof Stages;

export const stageNames = [
  "hydrate",
  "bind",
  "authorize",
  "layers",
  "run",
  "check",
  "record",
  "reply",
] as const satisfies StageName[];

const stateLooks: Readonly<Record<StageState, readonly [IconComponent, string, string]>> = {
  passed: [Check, "bg-good-wash text-good", "passed"],
  failed: [X, "bg-bad-wash text-bad", "failed"],
  pending: [Clock, "bg-wait-wash text-wait", "needs approval"],
  running: [Loader, "bg-accent-wash text-accent", "running"],
  unknown: [CircleHelp, "bg-wait-wash text-wait", "unknown"],
  "not-reached": [CircleDashed, "bg-sunken text-soft", "not reached"],
};

export const StageMark = ({ state }: { readonly state: StageState }) => {
  const [Icon, look, words] = stateLooks[state];
  return (
    <span className={`grid size-6 shrink-0 place-items-center rounded-full ${look}`}>
      <Icon size={14} />
      <span className="sr-only">{words}</span>
    </span>
  );
};

export const stageDescriptions: Readonly<Record<StageName, string>> = {
  hydrate: "Reads the arguments, repairs them if allowed, and validates them against the schema.",
  bind: "Finds the tool and its implementation by name.",
  authorize: "Checks the policy, and requests approval if it is required.",
  layers: "Runs the layers around the code, such as retries, limits, caches and timeouts.",
  run: "Runs the code of the tool.",
  check: "Validates the result, and marks untrusted content.",
  record: "Writes the outcome to the ledger.",
  reply: "Returns the result or the failure to the caller.",
};

export const PipelineStages = ({
  stages,
  onChoose,
}: {
  readonly stages: Stages;
  readonly onChoose: (stage: StageName) => void;
}) => (
  <nav aria-label="Pipeline stages" className="panel p-2">
    <ol className="grid grid-cols-4 gap-y-1 md:grid-cols-8">
      {stageNames.map((name, index) => (
        <li key={name} className="relative">
          {index > 0 && (
            <span
              aria-hidden
              className={`absolute top-5 right-1/2 left-[-50%] mx-5 h-0.5 max-md:nth-[4n+1]:hidden ${stages[name].state === "not-reached" ? "bg-line" : "bg-edge"} ${index === 4 ? "max-md:hidden" : ""}`}
            />
          )}
          <button
            type="button"
            onClick={() => onChoose(name)}
            title={markUnseen(stageDescriptions[name])}
            className="relative flex w-full flex-col items-center gap-1 rounded-md py-2 text-xs hover:bg-hover"
          >
            <StageMark state={stages[name].state} />
            {markUnseen(name)}
          </button>
        </li>
      ))}
    </ol>
  </nav>
);
