import type { ReactNode } from "react";
import { useTitle } from "../shell/use-title.ts";

/** The head of a page and what is below it. `isFull` pages fill the window and scroll inside. */
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
        <h1 className="min-w-0">{heading ?? title}</h1>
        {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
};

/** A part of a page with a name. */
export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className="panel min-w-0" aria-label={title}>
    <div className="flex min-h-10 items-center gap-3 border-b border-line px-4 py-1.5">
      <h2>{title}</h2>
      {actions !== undefined && <div className="ml-auto flex items-center gap-2">{actions}</div>}
    </div>
    <div className="p-4">{children}</div>
  </section>
);

/** Names and values. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "")
      .map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
  </dl>
);
