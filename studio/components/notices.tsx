import type { ReactNode } from "react";
import { ApiFailure } from "../api/api-request.ts";
import { ForeignText } from "./foreign-text.tsx";
import { markUnseen } from "./invisible-characters.ts";

export const EmptyState = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) => (
  <div className="mx-auto max-w-md px-4 py-12 text-center">
    <p className="font-medium">
      <ForeignText text={title} isInline />
    </p>
    {children !== undefined && <div className="mt-1 text-soft">{children}</div>}
  </div>
);

const errorRemedies: Readonly<Record<string, string>> = {
  unreachable: "Start the server again. This page reconnects by itself.",
  not_found: "It may have been deleted, or the URL is wrong.",
  missing_scope: "Ask the operator of this Studio for the scope, or sign in as another user.",
};

export const ErrorBox = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) => {
  const message = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof ApiFailure ? errorRemedies[error.code] : "Reload the page.";
  return (
    <div role="alert" className="panel border-l-4 border-l-bad p-3">
      <div className="font-medium">
        <ForeignText text={message} />
      </div>
      {error instanceof ApiFailure && error.issues.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-soft">
          {error.issues.map(({ pointer, message: what }) => (
            <li key={`${pointer} ${what}`}>
              <ForeignText text={`${pointer === "" ? "Request body" : pointer}: ${what}`} />
            </li>
          ))}
        </ul>
      )}
      {remedy !== undefined && <p className="mt-1 text-soft">{markUnseen(remedy)}</p>}
      {onRetry !== undefined && (
        <button type="button" className="button mt-2" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
};

export const LoadingNotice = ({ what = "Loading" }: { readonly what?: string }) => (
  <p role="status" className="appears-late px-1 py-8 text-center text-soft">
    {markUnseen(what)}…
  </p>
);
