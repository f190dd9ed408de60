import type { ValidationIssue } from "@api/shared.ts";
import * as Tabs from "@radix-ui/react-tabs";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { Field } from "./field.tsx";
import { blankFields, type FormSchema } from "./form-schema.ts";
import { JsonField } from "./json-field.tsx";
import { valueAt } from "./masked-values.ts";

/** The API validates; the page compiles no schemas. */
export const SchemaForm = ({
  schema,
  value,
  onChange,
  findings,
}: {
  readonly schema: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly findings: readonly ValidationIssue[];
}) => {
  const root = (typeof schema === "object" && schema !== null ? schema : {}) as FormSchema;
  const whole = findings.filter(({ pointer }) => pointer === "");
  const tab =
    "h-8 px-2 text-xs font-medium text-soft border-b-2 border-transparent data-[state=active]:border-accent data-[state=active]:text-accent";
  return (
    <Tabs.Root defaultValue="form">
      <Tabs.List aria-label="Input format" className="mb-3 flex gap-2 border-b border-line">
        <Tabs.Trigger value="form" className={tab}>
          Form
        </Tabs.Trigger>
        <Tabs.Trigger value="json" className={tab}>
          JSON
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="form">
        <Field
          schema={root}
          root={root}
          pointer=""
          value={value}
          onChange={onChange}
          findings={findings}
          isRequired
        />
      </Tabs.Content>
      <Tabs.Content value="json">
        <JsonField
          label="Arguments as JSON"
          value={value}
          onChange={onChange}
          rows={12}
          isInvalid={findings.length > 0}
        />
        <ul className="mt-1 text-xs text-bad">
          {findings.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <ForeignText text={`${pointer} ${message}`} />
            </li>
          ))}
        </ul>
      </Tabs.Content>
      {whole.map(({ message }) => (
        <p key={message} className="mt-2 text-xs text-bad">
          <ForeignText text={message} />
        </p>
      ))}
    </Tabs.Root>
  );
};

/** Problems that the page reports before it sends anything. */
export const requiredFindings = (schema: unknown, value: unknown): readonly ValidationIssue[] => {
  const root = (schema ?? {}) as FormSchema;
  return blankFields(root, root, value ?? {}).map((pointer) => ({
    pointer,
    message: "This field is required.",
  }));
};

/** Leaves out the problems that the page reports itself. */
export const otherFindings = (
  found: readonly ValidationIssue[],
  all: readonly ValidationIssue[] | undefined,
): readonly ValidationIssue[] =>
  (all ?? []).filter(({ pointer }) => !found.some((each) => each.pointer === pointer));

export const useValidation = (tool: string, value: unknown, isOn = true) => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 300);
    return () => clearTimeout(timer);
  }, [value]);
  const { data } = useQuery({
    queryKey: ["validate", tool, settled],
    queryFn: async () => ({
      ...(await api.validate(tool, settled === undefined ? {} : settled)),
      of: settled,
    }),
    enabled: isOn,
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Leaves out fields that were filled in since the validation.
  const findings = (data?.issues ?? []).filter(
    ({ pointer }) => valueAt(data?.of, pointer) !== undefined || valueAt(value, pointer) === undefined,
  );
  return { data, findings };
};
