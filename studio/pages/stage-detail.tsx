import type { Call, StageState, Stages } from "@api/calls.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../components/badge.tsx";
import { CallerName } from "../components/caller-name.tsx";
import { DiffView, diffLines } from "../components/diff-view.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { ChevronRight } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonText } from "../components/json-view.tsx";
import { FactList } from "../components/page.tsx";
import { RuleLinks } from "../components/rule-reason.tsx";
import { formatClock, formatCost, formatDuration } from "../components/time.tsx";
import { ChainRows } from "./chain-rows.tsx";
import { StageMark, type StageName, stageDescriptions } from "./pipeline-stages.tsx";

export const StageDetail = ({
  name,
  number,
  call,
  isOpen,
  onToggle,
}: {
  readonly name: StageName;
  readonly number: number;
  readonly call: Call;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) => {
  const stage = call.stages[name];
  const shown = isOpen && stageDetailViews[name](call);
  return (
    <section className="panel min-w-0">
      <h2 className="font-normal">
        <button
          type="button"
          id={`stage-${name}`}
          aria-expanded={isOpen}
          onClick={onToggle}
          className="flex min-h-11 w-full items-center gap-3 px-3 py-2 text-left hover:bg-hover"
        >
          <StageMark state={stage.state} />
          <span className="w-24 shrink-0 font-semibold">
            {number} {markUnseen(name)}
          </span>
          <span className="min-w-0 grow text-soft">
            <ForeignText
              text={stage.summary || (stateFallbackTexts[stage.state] ?? "no details")}
              isLine={!isOpen}
            />
          </span>
          <ChevronRight size={16} className={`shrink-0 text-soft ${isOpen ? "rotate-90" : ""}`} />
        </button>
      </h2>
      {isOpen && (
        <div className="flex min-w-0 flex-col gap-3 border-t border-line p-3">
          <p className="text-xs text-soft">{markUnseen(stageDescriptions[name])}</p>
          {shown}
        </div>
      )}
    </section>
  );
};

const stateFallbackTexts: Readonly<Partial<Record<StageState, string>>> = {
  "not-reached": "not reached",
  pending: "needs approval",
  running: "running",
};

const stageDetailViews: Readonly<Record<StageName, (call: Call) => ReactNode>> = {
  hydrate: ({ stages: { hydrate } }) => (
    <>
      <div className={`grid grid-cols-1 gap-3 ${hydrate.ranWith === undefined ? "" : "md:grid-cols-2"}`}>
        <LabeledBlock label="Original arguments">
          <JsonText text={hydrate.input} />
        </LabeledBlock>
        {hydrate.ranWith !== undefined && (
          <LabeledBlock label="Arguments of the code">
            <JsonText text={hydrate.ranWith} />
          </LabeledBlock>
        )}
      </div>
      {hydrate.changes.length > 0 && (
        <LabeledBlock label="Repairs">
          <ul className="flex flex-col gap-1">
            {hydrate.changes.map(({ stage, pointer, from, to }) => (
              <li key={`${stage} ${pointer} ${from}`} className="flex flex-wrap items-center gap-2">
                <Badge>{stage}</Badge>
                <ForeignText text={pointer || "arguments"} isCode className="min-w-0 text-soft" />
                <ForeignText text={from} isInline isCode className="min-w-0 bg-bad-wash px-1" />
                <span aria-hidden>→</span>
                <span className="sr-only">changed to</span>
                <ForeignText text={to} isInline isCode className="min-w-0 bg-good-wash px-1" />
              </li>
            ))}
          </ul>
        </LabeledBlock>
      )}
      {hydrate.issues.length > 0 && (
        <LabeledBlock label="Problems">
          <ul className="list-disc pl-5">
            {hydrate.issues.map(({ pointer, message }) => (
              <li key={`${pointer} ${message}`}>
                <ForeignText text={pointer === "" ? message : `${pointer}: ${message}`} />
              </li>
            ))}
          </ul>
        </LabeledBlock>
      )}
      <FactList
        facts={[
          ["Validated", hydrate.validated === undefined ? undefined : hydrate.validated ? "yes" : "no"],
          ["Validator", hydrate.validator && `${hydrate.validator.name} ${hydrate.validator.version}`],
          [
            "Validation time",
            hydrate.validationMs === undefined ? undefined : formatDuration(hydrate.validationMs),
          ],
        ]}
      />
    </>
  ),
  bind: ({ stages: { bind } }) => (
    <FactList
      facts={[
        ["Tool", <ForeignText key="tool" text={bind.tool} />],
        ["Origin", bind.origin && <ForeignText key="origin" text={bind.origin} />],
        [
          "Implementation",
          bind.implementation && <ForeignText key="implementation" text={bind.implementation} isCode />,
        ],
        ["Definition hash", bind.definition && <ForeignText key="hash" text={bind.definition} isCode />],
        [
          "Current definition",
          bind.currentDefinition === undefined ? undefined : bind.currentDefinition === bind.definition ? (
            "unchanged"
          ) : (
            <ForeignText key="now" text={`changed: ${bind.currentDefinition}`} isCode />
          ),
        ],
      ]}
    />
  ),
  authorize: ({ stages: { authorize, hydrate }, approvals, summary, taints }) => (
    <FactList
      facts={[
        ["Decision", authorize.decision && <ForeignText key="decision" text={authorize.decision} />],
        [
          "Rules",
          authorize.caller && (
            <RuleLinks
              key="rules"
              ruleIds={authorize.ruleIds}
              caller={authorize.caller}
              tool={summary.tool}
              input={hydrate.ranWith ?? hydrate.input}
              isTainted={approvals.length > 0 && taints.length > 0}
            />
          ),
        ],
        ...approvals.map(
          ({ id, reason }) =>
            [
              "Approval",
              <span key={id}>
                <ForeignText text={reason} isInline />{" "}
                <Link to="/approvals" search={{ id }} className="link">
                  View request
                </Link>
              </span>,
            ] as const,
        ),
        ["Caller", authorize.caller && <CallerName key="caller" caller={authorize.caller} />],
      ]}
    />
  ),
  layers: ({ stages: { layers } }) => <LayerNotes layers={layers} />,
  run: ({ stages: { run } }) => (
    <>
      <FactList
        facts={[
          ["Duration", run.durationMs === undefined ? undefined : formatDuration(run.durationMs)],
          ["Waited for approval", run.waitedMs === undefined ? undefined : formatDuration(run.waitedMs)],
          ["Cost", run.cost === undefined ? undefined : formatCost(run.cost)],
          ["Code ran", run.ran === undefined ? undefined : run.ran ? "yes" : "no"],
          ["Reported as not run", run.claimsNotRun && "yes"],
        ]}
      />
      {run.attempts.length > 0 && (
        <ol className="flex flex-col gap-1">
          {run.attempts.map(({ number, startedAt, ending, ran }) => (
            <li key={number} className="flex flex-wrap gap-3">
              <span>Attempt {number}</span>
              <span className="text-soft">{formatClock(startedAt)}</span>
              <Badge tone={ending === "ended" ? "plain" : "wait"}>{ending}</Badge>
              {!ran && <span className="text-soft">code did not start</span>}
            </li>
          ))}
        </ol>
      )}
    </>
  ),
  check: ({ stages: { check } }) => (
    <>
      {check.result === undefined ? (
        <p className="text-soft">No result.</p>
      ) : (
        <LabeledBlock label="Result">
          <JsonText text={check.result} />
        </LabeledBlock>
      )}
      {check.original !== undefined && check.result !== undefined && (
        <LabeledBlock label="Changed by a layer">
          <DiffView
            lines={diffLines(prettyJson(check.original.text), prettyJson(check.result.text))}
            names={["Code", "Reply"]}
          />
        </LabeledBlock>
      )}
    </>
  ),
  record: ({ stages: { record } }) => <ChainRows rows={record.rows} />,
  reply: ({ stages: { reply } }) => (
    <FactList
      facts={[
        ["Code", reply.code && <ForeignText key="code" text={reply.code} isCode />],
        ["Message", reply.message && <ForeignText key="message" text={reply.message} />],
        ["Flow", reply.flow && <ForeignText key="flow" text={reply.flow} />],
        ["Handoff", reply.handoff && <ForeignText key="handoff" text={reply.handoff} />],
      ]}
    />
  ),
};

export const LabeledBlock = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) => (
  <div className="min-w-0">
    <p className="label mb-1">{markUnseen(label)}</p>
    {children}
  </div>
);

const prettyJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Notes start with the name of their layer. */
const LayerNotes = ({ layers: { layers, notes } }: { readonly layers: Stages["layers"] }) => {
  const isOf = (layer: string, note: string): boolean => note.startsWith(`${layer}:`);
  const others = notes.filter((note) => !layers.some((layer) => isOf(layer, note)));
  if (layers.length === 0 && notes.length === 0) return <p className="text-soft">No layers.</p>;
  return (
    <>
      {layers.length > 0 && (
        <ol aria-label="Layers, outermost first" className="flex flex-col gap-1">
          {layers.map((layer, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a layer may be there twice
            <li key={index} className="grid grid-cols-[1.5rem_minmax(5rem,8rem)_minmax(0,1fr)] gap-x-2">
              <span className="text-soft">{index + 1}</span>
              <ForeignText text={layer} isCode />
              <div className="text-soft">
                {notes
                  .filter((note) => isOf(layer, note))
                  .map((note) => (
                    <ForeignText key={note} text={note} />
                  ))}
              </div>
            </li>
          ))}
        </ol>
      )}
      {others.map((note) => (
        <ForeignText key={note} text={note} className="text-soft" />
      ))}
    </>
  );
};
