import { signInLinkError } from "../api/sign-in-by-link.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { useTitle } from "./use-title.ts";

export const SignIn = ({ onRetry }: { readonly onRetry: () => void }) => {
  useTitle("Sign in");
  const refusal = signInLinkError();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-3 p-4">
      <h1>Sign in to Haft Studio</h1>
      {refusal !== undefined && (
        <div role="alert" className="panel border-l-4 border-l-bad p-3">
          <ForeignText text={refusal} />
        </div>
      )}
      <p className="text-soft">
        Run <code className="code rounded bg-sunken px-1 text-ink">haft studio</code> in a terminal and open
        the link that it prints in a new tab. Each link works once, within five minutes. If the Studio is part
        of another application, sign in there first.
      </p>
      <div>
        <button type="button" className="button" onClick={onRetry}>
          I have signed in
        </button>
      </div>
    </main>
  );
};
