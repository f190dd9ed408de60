import type { ReactNode } from "react";
import { useTitle } from "../shell/use-title.ts";
import { ForeignText } from "./foreign-text.tsx";
import { markUnseen } from "./invisible-characters.ts";

/** A page with its title. `isFull` pages fill the window and scroll inside. */
export const Page = ({
  title,
  heading,
  actions,
  isFull = false,
  children,
}: {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly actions?: ReactNode;
  readonly isFull?: boolean;
  readonly children: ReactNode;
}) => {
  useTitle(title);
  return (
    <div className={`mx-auto flex w-full flex-col gap-4 p-4 md:p-6 ${isFull ? "min-h-0 grow" : "max-w-6xl"}`}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="min-w-0">{heading ?? markUnseen(title)}</h1>
        {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
};

export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className="panel min-w-0" aria-label={markUnseen(title)}>
    <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-1.5">
      <h2 className="min-w-0">
        <ForeignText text={title} isLine />
      </h2>
      {actions !== undefined && (
        <div className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-2">{actions}</div>
      )}
    </div>
    <div className="p-4">{children}</div>
  </section>
);

export const FactList = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] gap-x-4">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "")
      .map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="py-[0.2rem] text-soft">
            <ForeignText text={name} isInline />
          </dt>
          <dd className="min-w-0 py-[0.2rem] break-words [&_a]:-my-[0.2rem] [&_a]:inline-flex [&_a]:min-h-7 [&_a]:max-w-full [&_a]:items-center [&_a]:gap-x-1">
            {typeof value === "string" ? <ForeignText text={value} isInline /> : value}
          </dd>
        </div>
      ))}
  </dl>
);
