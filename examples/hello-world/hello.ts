// The library of hello.gram: functions bound by name to the specs of the agent when it runs.
export const sayHello = ({ name }: { readonly name: string }): string => `Hello, ${name}! Nice to meet you.`;
