import type { ValueChange } from "../forms/changes-between.ts";
import { ForeignText } from "./foreign-text.tsx";

export const ChangeList = ({ changes }: { readonly changes: readonly ValueChange[] }) => (
  <ul className="flex flex-col gap-1" aria-label="Changes">
    {changes.map(({ pointer, from, to }) => (
      <li key={pointer} className="flex flex-wrap items-center gap-2">
        <ForeignText text={pointer || "arguments"} isInline isCode className="text-soft" />
        <ForeignText text={changedValueText(from)} isInline isCode className="min-w-0 bg-bad-wash px-1" />
        <span aria-hidden>→</span>
        <span className="sr-only">changed to</span>
        <ForeignText text={changedValueText(to)} isInline isCode className="min-w-0 bg-good-wash px-1" />
      </li>
    ))}
  </ul>
);

const changedValueText = (value: unknown): string => JSON.stringify(value) ?? "not set";
